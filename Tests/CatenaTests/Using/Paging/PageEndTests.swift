import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Ends of lists", .limitedParallelism)
struct PageEndTests {
    private struct User: Decodable, Sendable, Equatable {
        let id: Int
        var next: String?
    }

    /// Returns a request to a backend that responds by the query.
    private func request(
        envelope: Envelope? = nil, decoding: Decoding? = nil, _ respond: @escaping @Sendable (String) -> TransportResponse
    ) -> (Request, ClosureTransport) {
        let stub = ClosureTransport { respond($0.address.query ?? "") }
        let client = Client(transport: stub)
        client.onDiagnostic { _ in }
        client.configureDefaults { defaults in
            defaults.host = "https://forum.example.com"
            if let envelope { defaults.envelope = envelope }
            if let decoding { defaults.decoding = decoding }
        }
        return (client.get("/users"), stub)
    }

    private func fault(_ request: Request, by paging: Paging) async throws -> APIError {
        try #require(await #expect(throws: APIError.self) { _ = try await request.items(of: Int.self, by: paging).collected() })
    }

    // MARK: More, and no known way to it

    @Test(
        "a list whose page says that there is more, and not where, fails and names the place and the step",
        arguments: [
            (#"{"data":[1],"has_more":true}"#, "\"has_more\": true", ".cursor("),
            (#"{"data":[1],"hasNextPage":true}"#, "\"hasNextPage\": true", ".cursor("),
            (#"{"data":[1],"isLastPage":false}"#, "\"isLastPage\": false", ".cursor("),
            (#"{"data":[1],"is_end":false}"#, "\"is_end\": false", ".cursor("),
            (#"{"code":0,"data":{"list":[1],"has_more":1}}"#, "\"data.has_more\": 1", ".cursor("),
            (
                #"{"code":0,"data":{"items":[1],"has_more":true,"page_token":"t"}}"#, "page_token",
                #".cursor("data.page_token", as: "page_token")"#
            ),
            (#"{"items":[1],"max_cursor":17,"has_more":true}"#, "max_cursor", #".cursor("max_cursor", as: "max_cursor")"#),
            (#"{"data":[1],"paging":{"cursors":{"after":"a"}}}"#, "paging.cursors.after", #".cursor("paging.cursors.after", as: "after")"#),
            (#"{"items":[1],"nextToken":"n"}"#, "nextToken", #".cursor("nextToken", as: "nextToken")"#),
            (
                #"{"items":[1],"pageInfo":{"hasNextPage":true,"endCursor":"e"}}"#, "pageInfo.endCursor",
                #".cursor("pageInfo.endCursor", as: "endCursor")"#
            ),
            (
                #"{"data":[1],"meta":{"pagination":{"total":9,"links":{"next":"/users?p=2"}}}}"#, "meta.pagination.links.next",
                #".links("meta.pagination.links.next")"#
            ),
            (#"{"items":[1],"total":6}"#, "1 of 6 items", ".cursor("),
            (#"{"items":[1],"_links":{"next":{"href":"/users?p=2"}}}"#, "_links.next.href", ".links"),
            (#"{"items":[1],"next":"https://forum.example.com/users?p=2"}"#, "next", ".links"),
        ])
    func unknownCursor(body: String, said: String, step: String) async throws {
        let (request, stub) = request { _ in .json(body) }
        let error = try await fault(request, by: .cursor())
        #expect(error.kind == .protocolViolation)
        #expect(error.message.contains(said), "\(error.message)")
        #expect(error.message.contains(step), "\(error.message)")
        #expect(stub.requests.count == 1)
    }

    @Test(
        "a list by links whose page says that there is more, and has no known link, fails",
        arguments: [
            (#"{"data":[1],"has_more":true}"#, "\"has_more\": true", ".links("),
            (#"{"items":[1],"next_cursor":"c"}"#, "next_cursor", ".cursor()"),
            (#"{"items":[1],"total":6}"#, "1 of 6 items", ".number("),
            (#"{"items":[1],"paging":{"next_url":"/users?p=2"}}"#, "paging.next_url", #".links("paging.next_url")"#),
        ])
    func unknownLink(body: String, said: String, step: String) async throws {
        let (request, stub) = request { _ in .json(body) }
        let error = try await fault(request, by: .links)
        #expect(error.kind == .protocolViolation)
        #expect(error.message.contains(said), "\(error.message)")
        #expect(error.message.contains(step), "\(error.message)")
        #expect(stub.requests.count == 1)
    }

    @Test("a declared envelope hides neither the cursor, nor the link, nor that there is more")
    func besideDeclaredPayload() async throws {
        let declared = Envelope.standard.codes("code").data("data").success(0)
        let (more, _) = request(envelope: declared) { _ in .json(#"{"code":0,"data":[1],"has_more":true}"#) }
        #expect(try await fault(more, by: .cursor()).message.contains("has_more"))
        let (byCursor, _) = request(envelope: declared) {
            .json($0.isEmpty ? #"{"code":0,"data":[1],"next_cursor":"b"}"# : #"{"code":0,"data":[2],"next_cursor":null}"#)
        }
        #expect(try await byCursor.items(of: Int.self, by: .cursor()).collected() == [1, 2])
        let (byLink, _) = request(envelope: declared) {
            .json($0.isEmpty ? #"{"code":0,"data":[1],"links":{"next":"?p=2"}}"# : #"{"code":0,"data":[2]}"#)
        }
        #expect(try await byLink.items(of: Int.self, by: .links).collected() == [1, 2])
    }

    @Test(
        "links of HAL and OData are followed",
        arguments: [
            #"{"items":[1],"_links":{"self":{"href":"/users"},"next":{"href":"/users?p=2"}}}"#,
            #"{"items":[1],"@odata.nextLink":"https://forum.example.com/users?p=2"}"#,
        ])
    func specifiedLinks(first: String) async throws {
        let (request, _) = request { .json($0.isEmpty ? first : #"{"items":[2]}"#) }
        #expect(try await request.items(of: Int.self, by: .links).collected() == [1, 2])
    }

    @Test(
        "a list ends where its page says so, or says nothing",
        arguments: [
            #"{"items":[1]}"#, "[1]", #"{"items":[1],"has_more":false,"page_token":"t"}"#, #"{"items":[1],"total":1}"#,
            #"{"items":[1],"nextToken":null}"#, #"{"items":[1],"page_token":""}"#, #"{"items":[1],"is_end":true,"next":"x"}"#,
            #"{"items":[1],"pageInfo":{"hasNextPage":false,"endCursor":"e"}}"#, #"{"items":[1],"prev_cursor":"p","access_token":"t"}"#,
            #"{"items":[1],"user":{"next":"level 2","cursor":"c"}}"#,
        ])
    func saidEnd(body: String) async throws {
        for paging in [Paging.cursor(), .links] {
            let (request, _) = request { _ in .json(body) }
            #expect(try await request.items(of: Int.self, by: paging).collected() == [1])
        }
    }

    @Test("a total above what has come is no evidence if the call begins at a cursor, or if links end after some")
    func laterBeginning() async throws {
        let (byCursor, _) = request { _ in .json(#"{"items":[5,6],"total":6}"#) }
        #expect(try await byCursor.params(["cursor": "c"]).items(of: Int.self, by: .cursor()).collected() == [5, 6])
        let (byLink, _) = request { _ in .json("[5,6]", headers: ["X-Total-Count": "6", "Link": #"</users?p=2>; rel="prev""#]) }
        #expect(try await byLink.items(of: Int.self, by: .links).collected() == [5, 6])
    }

    // MARK: Cursors that lead nowhere

    @Test("a cursor of 0 or \"0\" ends the list", arguments: ["0", "\"0\""])
    func zeroCursor(zero: String) async throws {
        let (request, stub) = request { .json($0.isEmpty ? #"{"items":[1],"next_cursor":7}"# : "{\"items\":[2],\"next_cursor\":\(zero)}") }
        #expect(try await request.items(of: Int.self, by: .cursor()).collected() == [1, 2])
        #expect(stub.requests.count == 2)
    }

    @Test("a cursor of 0 is followed if the page says that there is more")
    func zeroCursorWithMore() async throws {
        let (request, _) = request {
            .json($0.isEmpty ? #"{"items":[1],"next_cursor":0,"has_more":true}"# : #"{"items":[2],"has_more":false}"#)
        }
        #expect(try await request.items(of: Int.self, by: .cursor()).collected() == [1, 2])
    }

    @Test("a cursor or link that has been followed already fails the list", arguments: ["a", "b"])
    func repeatedCursor(last: String) async throws {
        let (byCursor, stub) = request { query in
            .json(
                query.isEmpty
                    ? #"{"items":[1],"cursor":"a"}"#
                    : query == "cursor=a" ? #"{"items":[2],"cursor":"b"}"# : "{\"items\":[3],\"cursor\":\"\(last)\"}")
        }
        let error = try await fault(byCursor, by: .cursor())
        #expect(error.kind == .protocolViolation && error.message.contains("page 3"), "\(error.message)")
        #expect(stub.requests.count == 3)
        let (byLink, links) = request { .json($0.isEmpty ? #"{"items":[1],"next":"?p=2"}"# : #"{"items":[2],"next":"/users"}"#) }
        #expect(try await fault(byLink, by: .links).kind == .protocolViolation)
        #expect(links.requests.count == 2)
    }

    // MARK: Empty pages

    @Test(
        "an empty page with a cursor, a link or has_more is followed by the next one",
        arguments: [
            (Paging.cursor(), #"{"items":[],"cursor":"c"}"#), (.links, #"{"items":[],"next":"?p=2"}"#),
            (.number(), #"{"items":[],"has_more":true}"#), (.offset(), #"{"items":[],"has_more":true,"limit":2}"#),
        ])
    func emptyPage(paging: Paging, empty: String) async throws {
        let (request, stub) = request {
            .json(["", "page=1", "offset=0"].contains($0) ? empty : #"{"items":[3],"has_more":false}"#)
        }
        #expect(try await request.items(of: Int.self, by: paging).collected() == [3])
        #expect(stub.requests.count == 2)
    }

    @Test("ten empty pages in a row fail the list", arguments: [Paging.cursor(), .links, .number()])
    func emptyForEver(paging: Paging) async throws {
        let count = Counter()
        let (request, stub) = request { _ in
            count.increment()
            return .json("{\"items\":[],\"has_more\":true,\"cursor\":\(count.count),\"next\":\"?p=\(count.count)\"}")
        }
        let error = try await fault(request, by: paging)
        #expect(error.kind == .protocolViolation && error.message.contains("10 empty pages"), "\(error.message)")
        #expect(stub.requests.count == 10)
    }

    // MARK: Lenient decoding

    @Test("a page with one item has that item under lenient decoding", arguments: [Decoding.lenient, .lenient(.defaults)])
    func onlyItem(decoding: Decoding) async throws {
        for body in [
            #"{"code":0,"msg":"ok","data":{"list":[{"id":7}],"total":3,"next_cursor":"c"}}"#,
            #"{"code":0,"data":{"records":[{"id":7}],"total":3,"cursor":"c"}}"#,
            #"{"data":[{"id":7}],"total":3,"next_cursor":"c"}"#, #"{"data":{"items":[{"id":7}],"total":3,"nextCursor":"c"}}"#,
        ] {
            let (request, _) = request(decoding: decoding) { _ in .json(body) }
            let page = try await request.value(as: Page<User>.self)
            #expect(page.items == [User(id: 7)], "\(body)")
            #expect(page.total == 3 && page.nextCursor == "c", "\(body)")
        }
    }

    @Test("a list does not end because lenient decoding fills in missing members")
    func missingMembers() async throws {
        let (request, _) = request(decoding: .lenient(.defaults)) {
            .json(
                $0 == "page=1"
                    ? #"{"list":[{"id":1}],"has_more":null,"total":null}"# : $0 == "page=2" ? #"{"list":[{"id":2}]}"# : #"{"list":[]}"#)
        }
        #expect(try await request.items(of: User.self).collected().map(\.id) == [1, 2])
    }

    // MARK: The beginning, and totals that change

    @Test("the call's own page or offset is where the list begins, wherever it stands")
    func ownBeginning() async throws {
        let (byNumber, numbers) = request { .json($0.contains("page=3") ? "[3]" : $0.contains("page=4") ? "[4]" : "[]") }
        for request in [byNumber.params(["page": 3]), byNumber.query("page", "3"), byNumber.path("/users?page=3")] {
            #expect(try await request.items(of: Int.self).collected() == [3, 4])
        }
        #expect(numbers.requests.map(\.address.query) == Array(repeating: ["page=3", "page=4", "page=5"], count: 3).flatMap { $0 })
        let (byOffset, offsets) = request { .json($0 == "offset=20" ? #"{"items":[1,2],"total":23}"# : #"{"items":[3],"total":23}"#) }
        #expect(try await byOffset.params(["offset": 20]).items(of: Int.self, by: .offset()).collected() == [1, 2, 3])
        #expect(offsets.requests.map(\.address.query) == ["offset=20", "offset=22"])
        let (odd, sent) = request { _ in .json("[]") }
        let error = try await fault(odd.params(["page": "last"]), by: .number())
        #expect(error.kind == .invalidRequest && error.message.contains("page"))
        #expect(sent.requests.isEmpty)
    }

    @Test("a total that falls below what has come does not end the list")
    func shrinkingTotal() async throws {
        let (request, stub) = request {
            .json(
                $0 == "page=1"
                    ? #"{"items":[1,2],"total":5}"#
                    : $0 == "page=2" ? #"{"items":[3,4],"total":2}"# : $0 == "page=3" ? #"{"items":[5],"total":5}"# : "[]")
        }
        #expect(try await request.items(of: Int.self).collected() == [1, 2, 3, 4, 5])
        #expect(stub.requests.count == 3)
    }

    @Test("a backend that repeats a page is found although its envelope differs, and the error names the cursor that it offers")
    func repeatedPage() async throws {
        let count = Counter()
        let (request, stub) = request { _ in
            count.increment()
            return .json("{\"code\":0,\"data\":{\"list\":[1],\"next_cursor\":\"c\"},\"request_id\":\(count.count)}")
        }
        let error = try await fault(request, by: .number())
        #expect(error.message.contains("page 2 is the same"))
        #expect(error.message.contains(".cursor()"), "\(error.message)")
        #expect(stub.requests.count == 2)
    }

    // MARK: Deadline

    @Test("the deadline holds for the loop", arguments: [true, false])
    func deadline(isOfItems: Bool) async throws {
        let stubs = Stubs()
        stubs.get("/users").delay(.seconds(1)).reply { .json(JSON(array: [JSON(integerLiteral: Int(call: $0))])) }
        let request = Client(testing: stubs).get("/users").deadline(.milliseconds(2500))
        let items = Recorder<Int>()
        let error = try #require(
            await #expect(throws: APIError.self) {
                if isOfItems {
                    for try await item in request.items(of: Int.self) { items.note(item) }
                } else {
                    for try await page in request.pages(of: Int.self) { page.items.forEach { items.note($0) } }
                }
            })
        #expect(items.events == [1, 2])
        #expect(error.kind == .timeout)
        #expect(error.message.contains("2 pages"), "\(error.message)")
        #expect(stubs.clock.now == .milliseconds(2500))
    }
}

extension Int {
    fileprivate init(call: StubRequest) { self = call.query("page").flatMap { Int($0) } ?? 0 }
}
