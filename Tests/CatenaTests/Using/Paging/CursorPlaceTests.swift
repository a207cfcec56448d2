import CatenaTesting
import Testing

@testable import Catena

@Suite("Cursors that a call names", .limitedParallelism)
struct CursorPlaceTests {
    private struct Charge: Decodable, Sendable {
        let id: String
        var next: Int?
    }

    private func request(_ respond: @escaping @Sendable (String) -> TransportResponse) -> (Request, ClosureTransport) {
        let stub = ClosureTransport { respond($0.address.query ?? "") }
        return (Client(transport: stub).host("https://forum.example.com").get("/charges"), stub)
    }

    @Test(
        "a cursor is read at its place in the payload or in the body, and sent under its name",
        arguments: [
            (#"{"data":[{"id":"a"}],"paging":{"next":"n"}}"#, "paging.next", "n"),
            (#"{"code":0,"data":{"list":[{"id":"a"}],"paging":{"next":7}}}"#, "paging.next", "7"),
            (#"{"code":0,"data":{"list":[{"id":"a"}],"paging":{"next":7}}}"#, "data.paging.next", "7"),
            (#"{"code":0,"data":[{"id":"a"}],"meta":{"cursors":{"after":"n"}}}"#, "meta.cursors.after", "n"),
        ])
    func place(first: String, place: String, cursor: String) async throws {
        let (request, stub) = request { .json($0.isEmpty ? first : #"{"data":[{"id":"b"}],"paging":{"next":null}}"#) }
        let items = try await request.items(of: Charge.self, by: .cursor(place, as: "after")).collected()
        #expect(items.map(\.id) == ["a", "b"])
        #expect(stub.requests.map(\.address.query) == [nil, "after=\(cursor)"])
    }

    @Test("the URL at a place is followed")
    func link() async throws {
        let (request, stub) = request {
            .json(
                $0.isEmpty
                    ? #"{"data":[{"id":"a"}],"meta":{"next_page_url":"?p=2"}}"# : #"{"data":[{"id":"b"}],"meta":{"next_page_url":null}}"#)
        }
        #expect(try await request.items(of: Charge.self, by: .links("meta.next_page_url")).collected().map(\.id) == ["a", "b"])
        #expect(stub.requests.map(\.address.query) == [nil, "p=2"])
    }

    @Test(
        "a place without a cursor, or with an object, fails if the page says that there is more", arguments: [#""x""#, "{}", "[]", "true"])
    func wrongPlace(value: String) async throws {
        let (request, stub) = request { _ in .json(#"{"data":[{"id":"a"}],"next":\#(value == #""x""# ? "null" : value),"has_more":true}"#) }
        let error = await #expect(throws: APIError.self) {
            try await request.items(of: Charge.self, by: .cursor("next", as: "after")).collected()
        }
        #expect(error?.kind == .protocolViolation)
        #expect(stub.requests.count == 1)
    }

    @Test("a place that is no path fails the call")
    func noPath() async throws {
        let (request, _) = request { _ in .json(#"{"data":[]}"#) }
        let error = await #expect(throws: APIError.self) {
            try await request.items(of: Charge.self, by: .cursor("a..b", as: "c")).collected()
        }
        #expect(error?.kind == .invalidRequest && error?.message.contains("a..b") == true)
    }

    @Test("a closure makes the cursor of the page, and ends the list with nil")
    func closure() async throws {
        let (request, stub) = request { query in
            switch query {
            case "": .json(#"{"data":[{"id":"a"},{"id":"b"}],"has_more":true}"#)
            case "starting_after=b": .json(#"{"data":[{"id":"c","next":5}],"has_more":true}"#)
            default: .json(#"{"data":[{"id":"d"}],"has_more":false}"#)
            }
        }
        let items = try await request.items(of: Charge.self, by: .cursor(as: "starting_after") { page in page.items.last?.id }).collected()
        #expect(items.map(\.id) == ["a", "b", "c", "d"])
        #expect(stub.requests.map(\.address.query) == [nil, "starting_after=b", "starting_after=c"])
        let (byNumber, numbers) = self.request { .json($0.isEmpty ? #"{"data":[{"id":"a","next":5}]}"# : #"{"data":[{"id":"b"}]}"#) }
        #expect(try await byNumber.items(of: Charge.self, by: .cursor(as: "n") { $0.items.last?.next }).collected().count == 2)
        #expect(numbers.requests.last?.address.query == "n=5")
    }

    @Test("a closure that repeats a cursor fails, and one that ends before the page says so fails, too")
    func wrongClosure() async throws {
        let (request, stub) = request { .json($0.isEmpty ? #"{"data":[{"id":"a"}]}"# : #"{"data":[{"id":"b"}]}"#) }
        let repeated = await #expect(throws: APIError.self) {
            try await request.items(of: Charge.self, by: .cursor(as: "after") { _ in "same" }).collected()
        }
        #expect(repeated?.kind == .protocolViolation)
        #expect(stub.requests.count == 2)
        let (more, _) = self.request { _ in .json(#"{"data":[{"id":"a"}],"has_more":true}"#) }
        let early = await #expect(throws: APIError.self) {
            try await more.pages(of: Charge.self, by: .cursor(as: "after") { _ in nil }.limit(5)).collected()
        }
        #expect(early?.message.contains("has_more") == true)
    }

    @Test("an offset counts from the first position of the backend, and an endpoint has the same methods")
    func offset() async throws {
        let (request, stub) = request {
            .json($0 == "startIndex=1" ? #"{"items":[{"id":"a"},{"id":"b"}],"total":3}"# : #"{"items":[{"id":"c"}],"total":3}"#)
        }
        #expect(try await request.items(of: Charge.self, by: .offset("startIndex", from: 1)).collected().count == 3)
        #expect(stub.requests.map(\.address.query) == ["startIndex=1", "startIndex=3"])
    }

    @Test("an error of a later page leaves the loop as it is, and the page limit counts empty pages")
    func limit() async throws {
        let (request, stub) = request { query in .json(#"{"data":[],"next":"\#(query)x"}"#) }
        let error = await #expect(throws: APIError.self) {
            try await request.items(of: Charge.self, by: .cursor("next", as: "c").limit(3)).collected()
        }
        #expect(error?.message.contains("more than 3 pages") == true)
        #expect(stub.requests.count == 3)
    }
}
