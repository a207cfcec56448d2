import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Pages of lists", .limitedParallelism)
struct PageTests {
    private func page(_ body: String) throws -> Page<Int> {
        try JSONDecoder().decode(Page<Int>.self, from: Data(body.utf8))
    }

    @Test("a page is decoded from the usual shapes of lists")
    static func shapesRows() {
        each(
            [
                (#"{"list":[1,2],"total":5,"page":1,"size":2}"#, Page(items: [1, 2]).with { ($0.total, $0.number, $0.size) = (5, 1, 2) }),
                (#"{"records":[1],"current":2,"pages":3}"#, Page(items: [1]).with { ($0.number, $0.pageCount) = (2, 3) }),
                (#"{"items":[1],"nextCursor":"c","hasMore":true}"#, Page(items: [1]).with { ($0.nextCursor, $0.hasMore) = ("c", true) }),
                (#"{"curPage":1,"pageCount":9,"datas":[1]}"#, Page(items: [1]).with { ($0.number, $0.pageCount) = (1, 9) }),
                (
                    #"{"content":[1],"number":0,"totalPages":1,"totalElements":1,"last":true}"#,
                    Page(items: [1]).with { ($0.number, $0.pageCount, $0.total, $0.hasMore) = (0, 1, 1, false) }
                ),
                (#"{"data":[1],"links":{"next":"/x?page=2"}}"#, Page(items: [1]).with { $0.nextLink = "/x?page=2" }),
                (#"{"data":[1],"links":{"next":{"href":"/x?page=2"}}}"#, Page(items: [1]).with { $0.nextLink = "/x?page=2" }),
                (
                    #"{"count":9,"next":"https://x.org/?p=2","previous":null,"results":[1]}"#,
                    Page(items: [1]).with { ($0.total, $0.nextLink) = (9, "https://x.org/?p=2") }
                ),
                (#"{"rows":[1],"total":"12","cursor":7}"#, Page(items: [1]).with { ($0.total, $0.nextCursor) = (12, "7") }),
                (#"{"items":[1],"next_cursor":"","total":null}"#, Page(items: [1])),
                (#"{"count":1,"next":null,"previous":null,"results":[1]}"#, Page(items: [1]).with { $0.hasMore = false }),
                (#"{"count":2,"items":[1,2]}"#, Page(items: [1, 2])),
                (#"{"items":null}"#, Page(items: [])),
                ("[1,2]", Page(items: [1, 2])),
                (#"{"records":[1,2],"total":0,"pages":0,"current":1}"#, Page(items: [1, 2]).with { $0.number = 1 }),
                (#"{"list":[1,2],"total":-1,"pages":-1}"#, Page(items: [1, 2])),
                (#"{"list":[],"total":0,"pages":0}"#, Page(items: []).with { ($0.total, $0.pageCount) = (0, 0) }),
                (#"{"list":[1],"has_more":0}"#, Page(items: [1]).with { $0.hasMore = false }),
                (#"{"list":[1],"last":0}"#, Page(items: [1]).with { $0.hasMore = true }),
                (#"{"list":[1],"has_more":2}"#, Page(items: [1])),
            ] as [(String, Page<Int>)]
        ) { try Self().shapes(body: $0, expected: $1) }
    }

    func shapes(body: String, expected: Page<Int>) throws {
        #expect("\(try page(body))" == "\(expected)")
    }

    @Test("a body without items of the type is not a page", arguments: [#"{"total":1}"#, #"{"items":["a"]}"#, "7", #"{"items":{}}"#])
    func unfit(body: String) {
        #expect(throws: DecodingError.self) { try page(body) }
    }

    @Test("response headers give the total number of items, if they are valid")
    static func totalRows() {
        each(
            [
                (["X-Total-Count": "57"], 57), (["x-total-count": " 57 "], 57), (["Total-Count": "57"], 57),
                (["X-Total-Count": "57", "Total-Count": "60"], 57), (["X-Total-Count": "many", "Total-Count": "60"], 60),
                (["Content-Range": "items 0-9/57"], 57), (["Content-Range": "users 50-56/57"], 57), (["Content-Range": "0-9/57"], 57),
                (["Content-Range": "items */57"], 57), (["Content-Range": "items */0"], 0),
                ([:], nil), (["X-Total-Count": ""], nil), (["X-Total-Count": "-1"], nil), (["X-Total-Count": "+57"], nil),
                (["X-Total-Count": "5.7e1"], nil), (["X-Total-Count": "57, 58"], nil), (["X-Total-Count": "0x39"], nil),
                (["X-Total-Count": "٥٧"], nil), (["X-Total-Count": "9223372036854775808"], nil),
                (["Content-Range": "bytes 0-9/57"], nil), (["Content-Range": "Bytes 0-9/57"], nil), (["Content-Range": "items 0-9/*"], nil),
                (["Content-Range": "items 9-0/57"], nil), (["Content-Range": "items 50-57/57"], nil), (["Content-Range": "items 57"], nil),
                (["Content-Range": "items 0-9/57/58"], nil), (["Content-Range": "/"], nil), (["Content-Range": "items -9/57"], nil),
                (["Content-Range": "items 0-9/57, items 0-9/58"], nil), (["Content-Range": ""], nil),
            ] as [(HTTPHeaders, Int?)]
        ) { Self().total(headers: $0, expected: $1) }
    }

    func total(headers: HTTPHeaders, expected: Int?) {
        #expect(TotalHeader.total(in: headers) == expected)
    }

    @Test("a page without a total has the headers' total if it exceeds the page's items")
    func totalOfPage() async throws {
        func page(_ body: String, _ total: String) async throws -> Page<Int> {
            let stub = ClosureTransport { _ in .json(body, headers: ["X-Total-Count": total]) }
            return try await Client(transport: stub).host("https://forum.example.com").get("/users").value(as: Page<Int>.self)
        }
        #expect(try await page("[1,2]", "57").total == 57)
        #expect(try await page(#"{"code":0,"data":{"list":[1,2]}}"#, "57").total == 57)
        #expect(try await page(#"{"list":[1,2],"total":5}"#, "57").total == 5)
        // The header may count the items of this page.
        #expect(try await page("[1,2]", "2").total == nil)
        #expect(try await page("[1,2]", "1").total == nil)
        #expect(try await page("[1,2]", "1").headers["X-Total-Count"] == "1")
    }

    @Test("a page has the headers of its response in every terminal, and does not show their secrets")
    func headers() async throws {
        let stub = ClosureTransport { _ in .json(#"{"code":0,"data":{"list":[1]}}"#, headers: ["X-Trace": "7", "Set-Cookie": "sid=s3cr3t"])
        }
        let request = Client(transport: stub).host("https://forum.example.com").get("/users")
        let pages = [
            try await request.value(as: Page<Int>.self),
            try await request.execute(as: Page<Int>.self).value,
            try await request.response(as: Page<Int>.self).payload,
            try #require(try await request.pages(of: Int.self).first { _ in true }),
        ]
        for page in pages {
            #expect(page.headers["X-Trace"] == "7")
            #expect(page.headers["Set-Cookie"] == "sid=s3cr3t")
            #expect(!"\(page)".contains("s3cr3t"))
        }
        #expect(try self.page("[1]").headers.isEmpty)
    }

    @Test(
        "the next link is read from the Link header",
        arguments: [
            ([#"<https://x.org/a?b=1,2>; rel="next""#], "https://x.org/a?b=1,2"),
            ([#"</p>; rel="prev", </n>; title="a"; rel="next last""#], "/n"),
            ([#"</p>; rel=prev"#, #"</n>; REL=next"#], "/n"),
            ([#"</p>; rel="prev""#, "next", "<next", #"</x>; xrel="next""#, "</x>"], nil),
        ] as [([String], String?)])
    func header(values: [String], expected: String?) {
        #expect(LinkHeader.next(in: values) == expected)
    }
}

extension Page {
    fileprivate func with(_ change: (inout Page) -> Void) -> Page {
        var page = self
        change(&page)
        return page
    }
}

@Suite("Sequences of pages", .limitedParallelism)
struct PagesTests {
    /// Returns a request to a backend that responds by the query.
    private func request(_ answers: @escaping @Sendable (String) -> TransportResponse) -> (Request, ClosureTransport) {
        let stub = ClosureTransport { request in answers(request.address.query ?? "") }
        return (Client(transport: stub).host("https://forum.example.com").get("/users"), stub)
    }

    private func items(_ pages: Pages<Int>) async throws -> [[Int]] {
        var items: [[Int]] = []
        for try await page in pages { items.append(page.items) }
        return items
    }

    @Test("paging by number ends with the last page")
    func number() async throws {
        let (request, stub) = request { query in
            .json(#"{"code":0,"data":{"list":[\#(query.hasSuffix("page=1") ? "1,2" : "3")],"total":3}}"#)
        }
        #expect(try await items(request.params(["size": 2]).pages(of: Int.self, by: .number())) == [[1, 2], [3]])
        #expect(stub.requests.map(\.address.query) == ["size=2&page=1", "size=2&page=2"])
    }

    @Test(
        "a list that does not begin with its first page, or ends before its last item, is reported once",
        arguments: [
            (#"{"content":[2],"number":1,"first":false,"last":true,"totalElements":2}"#, Paging.number(), "first: false"),
            (#"{"list":[2],"page":2,"hasMore":false}"#, .number(), "number 2"),
            (#"{"items":[2],"offset":1,"hasMore":false}"#, .offset(), "offset 1"),
            (#"{"items":[2],"total":2,"hasMore":false}"#, .number(), "after 1 of 2 items"),
            (#"{"content":[2],"number":0,"first":true,"last":true}"#, .number(from: 0), nil),
            (#"{"content":[2],"number":3,"first":false,"last":true,"totalElements":4}"#, .number(from: 3), nil),
            (#"{"list":[1],"page":1,"total":1}"#, .number(), nil),
            (
                #"{"list":[1],"next_cursor":"g2"}"#, .cursor("paging.next", as: "after"),
                #"nothing at "paging.next", and something at "next_cursor""#
            ),
            (#"{"list":[1],"next_cursor":"g2","paging":{"next":null}}"#, .cursor("paging.next", as: "after"), nil),
            (#"{"list":[1],"next":"/users?page=2"}"#, .links("paging.next"), #"something at "next""#),
            (#"{"list":[1],"next_cursor":null}"#, .cursor("paging.next", as: "after"), nil),
        ] as [(String, Paging, String?)])
    func missingItems(body: String, paging: Paging, told: String?) async throws {
        let client = Client(transport: ClosureTransport { _ in .json(body) })
        let events = Recorder<DiagnosticEvent>()
        client.onDiagnostic { events.note($0) }
        let request = client.host("https://forum.example.com").get("/users")
        for _ in 0..<2 { _ = try await items(request.pages(of: Int.self, by: paging)) }
        #expect(events.events.map(\.kind.name) == (told == nil ? [] : ["incompleteList"]))
        if let told { #expect(events.events.first?.message.contains(told) == true, "\(events.events)") }
    }

    @Test("a list that ends before its last item is reported although only its first page has a total")
    func earlierTotal() async throws {
        let client = Client(
            transport: ClosureTransport { .json($0.address.query == "page=1" ? #"{"content":["b"],"total":3}"# : #"{"content":[]}"#) })
        let events = Recorder<DiagnosticEvent>()
        client.onDiagnostic { events.note($0) }
        for try await _ in client.host("https://forum.example.com").get("/users").pages(of: String.self) {}
        #expect(events.events.map(\.kind.name) == ["incompleteList"])
        #expect(events.events.first?.message.contains("after 1 of 3 items") == true)
    }

    @Test("a list whose backend does not count its items is read to its end", arguments: [0, -1], [Paging.number(), .offset()])
    func uncounted(total: Int, paging: Paging) async throws {
        let asked = Counter()
        let client = Client(
            transport: ClosureTransport { _ in
                asked.increment()
                return .json(#"{"records":[\#(["1,2", "3,4", ""][asked.count - 1])],"total":\#(total),"pages":\#(total)}"#)
            })
        let request = client.host("https://forum.example.com").get("/users")
        #expect(try await items(request.pages(of: Int.self, by: paging)).flatMap { $0 } == [1, 2, 3, 4])
    }

    @Test("a cursor or a link that leads back to the first page is not followed")
    func backToFirstPage() async throws {
        let (byZero, zeros) = request { .json($0 == "cursor=0" ? #"{"items":[1],"cursor":5}"# : #"{"items":[2],"cursor":0}"#) }
        #expect(try await items(byZero.params(["cursor": 0]).pages(of: Int.self, by: .cursor())) == [[1], [2]])
        #expect(zeros.requests.count == 2)
        let (byCursor, cursors) = request { .json($0 == "cursor=a" ? #"{"items":[1],"cursor":"b"}"# : #"{"items":[2],"cursor":"a"}"#) }
        await #expect(throws: APIError.self) { try await items(byCursor.params(["cursor": "a"]).pages(of: Int.self, by: .cursor())) }
        #expect(cursors.requests.count == 2)
        let (byLink, links) = request {
            .json($0 == "page=1" ? #"{"items":[1],"next":"?page=2"}"# : #"{"items":[2],"next":"/users?page=1"}"#)
        }
        await #expect(throws: APIError.self) { try await items(byLink.params(["page": 1]).pages(of: Int.self, by: .links)) }
        #expect(links.requests.count == 2)
    }

    @Test("paging by number ends with an empty page", arguments: [0, 1])
    func emptyPage(first: Int) async throws {
        let (request, stub) = request { query in .json(query == "p=\(first + 1)" ? "[]" : "[1]") }
        #expect(try await items(request.pages(of: Int.self, by: .number("p", from: first))) == [[1]])
        #expect(stub.requests.count == 2)
        let (nothing, _) = self.request { _ in .json("[]") }
        #expect(try await items(nothing.pages(of: Int.self, by: .number())) == [[]])
    }

    @Test("paging by number ends at the page count")
    func pageCount() async throws {
        let (request, _) = request { query in .json(#"{"items":[\#(query.suffix(1))],"pages":3}"#) }
        #expect(try await items(request.pages(of: Int.self, by: .number(from: 0))) == [[0], [1], [2]])
    }

    @Test(
        "a page that says that there are more is followed by another, whatever its total says",
        arguments: [
            (#"{"list":[1,2],"total":2,"hasMore":true}"#, Paging.number()), (#"{"list":[1,2],"pages":1,"last":false}"#, .number()),
            (#"{"list":[1,2],"total":2,"has_more":1}"#, .offset("skip")),
        ])
    func totalOfPage(first: String, paging: Paging) async throws {
        let (request, stub) = request { query in
            .json(query == "page=1" || query == "skip=0" ? first : #"{"list":[3],"total":1,"hasMore":false}"#)
        }
        #expect(try await items(request.pages(of: Int.self, by: paging)) == [[1, 2], [3]])
        #expect(stub.requests.count == 2)
    }

    @Test("paging by offset sends the number of items so far")
    func offset() async throws {
        let (request, stub) = request { query in .json(query == "skip=0" ? "[1,2]" : query == "skip=2" ? "[3]" : "[]") }
        #expect(try await items(request.pages(of: Int.self, by: .offset("skip"))) == [[1, 2], [3]])
        #expect(stub.requests.last?.address.query == "skip=3")
    }

    @Test("paging by cursor ends without a cursor, or if there is no more")
    func cursor() async throws {
        for end in ["", #","cursor":null"#, #","cursor":"b","hasMore":false"#, #","cursor":"z","hasMore":false"#] {
            let (request, _) = request { query in
                .json(
                    query.isEmpty
                        ? #"{"items":[1],"cursor":"a"}"# : query == "after=a" ? #"{"items":[2],"cursor":"b"}"# : "{\"items\":[3]\(end)}")
            }
            #expect(try await items(request.pages(of: Int.self, by: .cursor("after"))) == [[1], [2], [3]])
        }
    }

    @Test("paging by links reads links in the page, in a header or beside the payload")
    func links() async throws {
        let (inPage, stub) = request { query in
            .json(query == "q=x" ? #"{"results":[1],"next":"?q=x&p=2"}"# : #"{"results":[2],"next":null}"#)
        }
        #expect(try await items(inPage.params(["q": "x"]).pages(of: Int.self, by: .links)) == [[1], [2]])
        #expect(stub.requests.last?.address.text == "https://forum.example.com/users?q=x&p=2")
        let (inHeader, _) = request { query in
            .json(
                query.isEmpty ? "[1]" : "[2]",
                headers: query.isEmpty ? ["Link": #"<https://forum.example.com/users?p=2>; rel="next""#] : [:])
        }
        #expect(try await items(inHeader.pages(of: Int.self, by: .links)) == [[1], [2]])
        let (beside, _) = request { query in .json(query.isEmpty ? #"{"data":[1],"links":{"next":"?p=2"}}"# : #"{"data":[2]}"#) }
        #expect(try await items(beside.envelope(.jsonAPI).pages(of: Int.self, by: .links)) == [[1], [2]])
    }

    @Test("a link to another origin is refused")
    func foreignLink() async throws {
        let (request, stub) = request { _ in .json(#"{"items":[1],"next":"https://evil.example.org/?p=2"}"#) }
        let error = try #require(await #expect(throws: APIError.self) { try await items(request.pages(of: Int.self, by: .links)) })
        #expect(error.kind == .redirect)
        #expect(error.message.contains("another origin, https://evil.example.org"))
        #expect(stub.requests.count == 1)
    }

    @Test("a backend that repeats a page or never ends the list is an error")
    func endless() async throws {
        let (same, stub) = request { _ in .json("[1]") }
        let error = try #require(await #expect(throws: APIError.self) { try await items(same.pages(of: Int.self, by: .number())) })
        #expect(error.message.contains("page 2 is the same"))
        // The words are the library's and for developers.
        #expect(error.kind == .protocolViolation && error.backendMessage.isEmpty)
        #expect(!error.localizedDescription.contains("page 2"))
        #expect(stub.requests.count == 2)
        let (many, _) = request { query in .json("[\(query.drop { $0 != "=" }.dropFirst())]") }
        let limited = try #require(
            await #expect(throws: APIError.self) { try await items(many.pages(of: Int.self, by: .number().limit(5))) })
        #expect(limited.message.contains("more than 5 pages"))
    }

    @Test("each page is requested when the loop reaches it, and no page after an error")
    func laziness() async throws {
        let (many, stub) = request { query in .json("[\(query.drop { $0 != "=" }.dropFirst())]") }
        for try await page in many.pages(of: Int.self, by: .number()) where page.items == [3] { break }
        #expect(stub.requests.count == 3)
        let (failing, failed) = request { _ in .json(#"{"code":5,"msg":"m"}"#) }
        var iterator = failing.pages(of: Int.self, by: .number()).makeAsyncIterator()
        await #expect(throws: APIError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
        #expect(failed.requests.count == 1)
    }

    // MARK: Items

    @Test("items(of:) yields the items of all pages, and requests a page after the items before it")
    func items() async throws {
        let (request, stub) = request { query in .json(query == "page=1" ? "[1,2]" : query == "page=2" ? "[3]" : "[]") }
        var iterator = request.items(of: Int.self).makeAsyncIterator()
        #expect(stub.requests.isEmpty)
        for item in 1...3 {
            #expect(try await iterator.next() == item)
            #expect(stub.requests.count == (item == 3 ? 2 : 1))
        }
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        #expect(stub.requests.count == 3)
    }

    @Test("items(of:) works with each kind of paging, and each loop starts at the first page")
    func itemsByWay() async throws {
        let (request, stub) = request { query in
            .json(
                query.hasSuffix("at=b") ? #"{"items":[3],"cursor":""}"# : #"{"items":[1,2],"cursor":"b","next":"?at=b"}"#)
        }
        for paging in [Paging.cursor("at"), .links] {
            #expect(try await request.items(of: Int.self, by: paging).collected() == [1, 2, 3])
        }
        #expect(stub.requests.count == 4)
        let (byTotal, asked) = self.request { query in
            .json(query == "offset=0" ? "[1,2]" : "[3]", headers: ["Content-Range": "items */3"])
        }
        #expect(try await byTotal.items(of: Int.self, by: .offset()).collected() == [1, 2, 3])
        #expect(asked.requests.count == 2)
    }

    @Test("a header that counts the items of the page does not end the list")
    func countOfPage() async throws {
        let (request, stub) = request { query in
            switch query {
            case "page=1": .json("[1,2]", headers: ["X-Total-Count": "2"])
            case "page=2": .json("[3,4]", headers: ["X-Total-Count": "2"])
            default: .json("[5]", headers: ["X-Total-Count": "5"])
            }
        }
        #expect(try await request.items(of: Int.self).prefix(5).collected() == [1, 2, 3, 4, 5])
        #expect(stub.requests.count == 3)
    }

    @Test("items(of:) ends at once for an empty list")
    func noItems() async throws {
        let (request, stub) = request { _ in .json("[]") }
        #expect(try await request.items(of: Int.self).collected().isEmpty)
        #expect(stub.requests.count == 1)
    }

    @Test("items(of:) yields the items before a failing page, then throws once, also for too many pages")
    func failingItems() async throws {
        let (request, stub) = request { query in query == "page=3" ? .status(500) : .json("[\(query.suffix(1))]") }
        var iterator = request.items(of: Int.self).makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        #expect(try await iterator.next() == 2)
        let error = await #expect(throws: APIError.self) { try await iterator.next() }
        #expect(error?.status == 500)
        #expect(try await iterator.next() == nil)
        #expect(stub.requests.count == 3)
        let limited = await #expect(throws: APIError.self) { try await request.items(of: Int.self, by: .number().limit(1)).collected() }
        #expect(limited?.message.contains("more than 1 pages") == true)
    }

    @Test("no page is requested after the loop over items ends")
    func leavingItems() async throws {
        let (request, stub) = request { query in .json("[\(query.drop { $0 != "=" }.dropFirst()), 0]") }
        for try await item in request.items(of: Int.self) where item == 2 { break }
        #expect(stub.requests.count == 2)
    }

    @Test("cancelling the task ends the loop over pages or items", arguments: [true, false])
    func cancellation(isOfItems: Bool) async throws {
        let (asked, resolver) = Promise<Void>.pending()
        let stub = ClosureTransport { _ in
            resolver.fulfill(())
            let (never, keeper) = Promise<TransportResponse>.pending()
            defer { withExtendedLifetime(keeper) {} }
            return try await never.value
        }
        let request = Client(transport: stub).absoluteURL("https://forum.example.com/x")
        let task = Task {
            isOfItems ? try await request.items(of: Int.self).collected().count : try await items(request.pages(of: Int.self)).count
        }
        try await asked.value
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
