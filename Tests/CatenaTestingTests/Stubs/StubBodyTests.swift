import Catena
import CatenaTesting
import Foundation
import Testing

private struct Caption: Codable, Sendable, Equatable {
    var text = "sea"
    var size = 2
}

@Suite("Bodies in tests", .limitedParallelism)
struct StubBodyTests {
    private struct Broken: Error {}

    let stubs = Stubs()
    let client: Client

    init() { client = Client(testing: stubs) }

    @Test("a form can have JSON parts, and a test can read the parts")
    func parts() async throws {
        stubs.post("/photos").reply(status: 200)
        try await client.post("/photos").multipart { form in
            form.field("name", "Zoë")
            form.json(["a": 1], name: "params")
            form.json(Caption(), name: "caption", filename: "caption.json")
            form.data(Data([1, 2]), name: "photo", filename: "a.png")
        }.execute(.void).value
        let call = try #require(stubs.requests.first)
        #expect(call.parts.map(\.name) == ["name", "params", "caption", "photo"])
        #expect(call.parts.map(\.filename) == [nil, nil, "caption.json", "a.png"])
        #expect(call.parts.map(\.contentType) == [nil, "application/json", "application/json", "image/png"])
        #expect(call.part("name")?.text == "Zoë" && call.part("photo")?.data == Data([1, 2]))
        #expect(call.part("params")?.json == ["a": 1])
        #expect(call.part("caption")?.json == ["size": 2, "text": "sea"])
        #expect(call.part("other") == nil && call.part("name")?.json.isNull == true)
        #expect("\(call.parts[3])" == "photo, a.png, image/png, 2 bytes")
    }

    @Test("an error of the closure of a form fails the call before it is sent")
    func throwing() async throws {
        let error = await #expect(throws: APIError.self) {
            try await client.post("/photos").multipart { _ in throw Broken() }.execute(.void).value
        }
        #expect(error?.underlying is Broken)
        #expect(stubs.requests.isEmpty)
    }

    @Test("stubs, expectations and replies take JSON, JSON text and any Encodable value")
    func triple() async throws {
        stubs.post("/a").json(["size": 2, "text": "sea"]).times(1).reply(.json(["n": 1]))
        stubs.post("/a").json(text: #"{"text": "sea", "size": 2}"#).times(1).reply(.json(text: #"{"n": 2}"#))
        stubs.post("/a").json(Caption()).times(1).reply(json: Caption(text: "x", size: 3))
        stubs.post("/a").json(containing: Caption()).reply(status: 204)
        var values: [JSON] = []
        for _ in 0..<3 { values.append(try await client.post("/a").envelope(.raw).json(Caption()).value()) }
        try await client.post("/a").json(["text": "sea", "size": 2, "more": 1]).execute(.void).value
        #expect(values == [["n": 1], ["n": 2], ["text": "x", "size": 3]])
        try stubs.expect(.post, "/a").json(["text": "sea", "size": 2]).times(3)
        try stubs.expect(.post, "/a").json(text: #"{"text":"sea","size":2}"#).times(3)
        try stubs.expect(.post, "/a").json(Caption()).times(3)
        try stubs.expect(.post, "/a").json(containing: Caption()).times(4)
        #expect(throws: StubFailure.self) { try stubs.expect(.post, "/a").json(text: "{") }
        #expect(throws: StubFailure.self) { try stubs.expect(.post, "/a").json(Caption(size: 9)) }
    }

    @Test("a payload can be a literal of mixed values, of equal values, a stored JSON or an Encodable value")
    func payloads() async throws {
        let stored: JSON = ["a": 1, "b": "x"]
        stubs.get("/a").times(1).reply(data: ["a": 1, "b": "x"])
        stubs.get("/a").times(1).reply(code: 0, data: stored, message: "fine")
        stubs.get("/a").times(1).reply(data: ["a": 1])
        stubs.get("/a").times(1).reply(data: Caption())
        stubs.get("/a").times(1).reply(.reply(data: [1, "x", nil]))
        var values: [JSON] = []
        for _ in 0..<5 { values.append(try await client.get("/a").value()) }
        values.append(try await client.get("/b").stub(data: ["a": 1, "b": ["x"]]).value())
        values.append(try await client.get("/b").stub(data: ["a": 1]).value())
        #expect(values == [stored, stored, ["a": 1], ["size": 2, "text": "sea"], [1, "x", nil], ["a": 1, "b": ["x"]], ["a": 1]])
    }

    @Test("the text of a request is sorted, indented, without secrets and the same in each run")
    func text() async throws {
        client.configureDefaults { $0.headers = ["X-B": "2", "Authorization": "Bearer made-up"] }
        let request = client.post("/rooms").query(["token": "made-up", "page": 1]).json(["b": 1, "a": ["password": "made-up"] as Params])
        #expect(
            try await request.text() == """
                POST https://stubs.test/rooms?token=***&page=1
                Accept: */*
                Authorization: ***
                Content-Type: application/json
                User-Agent: Catena
                X-B: 2

                {
                  "a" : {
                    "password" : "***"
                  },
                  "b" : 1
                }
                """)
        let form = client.post("/photos").multipart { $0.field("a", "1") }
        #expect(try await form.text() == (try await form.text()))
        #expect(try await form.text().contains("Content-Type: multipart/form-data\n") == true)
        #expect(try await form.text().hasSuffix("--\nContent-Disposition: form-data; name=\"a\"\n\n1"))
        #expect(try await client.get("/a").text().hasSuffix("X-B: 2"))
        #expect(try await client.post("/a").body(Data([0xFF]), contentType: "x/y").text().hasSuffix("\n\n(1 bytes)"))
        #expect(stubs.requests.isEmpty)
    }
}
