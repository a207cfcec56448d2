import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("The description of a request", .limitedParallelism)
struct RequestDescriptionTests {
    private struct Note: Encodable, Sendable { let text: String }

    private let asked = Counter()

    private func client() -> Client {
        let client = Client(testing: Stubs())
        client.configure("forum") { forum in
            forum.host = "https://forum.example.com/api"
            forum.headers = ["X-Of-Tag": "1"]
            forum.secrets = Secrets(headers: "X-Member", params: "member")
        }
        client.commonParams { [asked] _ in
            asked.increment()
            return [:]
        }
        client.commonHeaders { [asked] _ in
            asked.increment()
            return [:]
        }
        return client
    }

    @Test("it lists what the steps say, and asks no closure")
    func listed() {
        let request = client().tag("forum").put("/v1/rooms/{room}").params(["room": 7, "page": 1]).query(["sort": "name"])
            .header(.contentType, "text/csv").body(Data("a,b".utf8), contentType: "text/csv").header("X-Of-Tag", nil)
            .timeout(.seconds(10)).deadline(.seconds(30)).retry(.exponential(limit: 2)).cache(.never).id("upload")
            .before { [asked] in asked.increment() }.set(\.interceptors, [Interceptor("call") { call, next in try await next(call) }])
        #expect(
            "\(request)" == """
                PUT https://forum.example.com/api/v1/rooms/{room}
                  tag: forum
                  params: [room: 7, page: 1]
                  query: [sort: "name"]
                  headers: [Content-Type: text/csv]
                  without headers: X-Of-Tag
                  body: 3 bytes, text/csv
                  timeout: 10.0 seconds
                  deadline: 30.0 seconds
                  retry: up to 2 more attempts
                  cache: never
                  id: upload
                  before: 1 closure
                  interceptors: 1
                """)
        #expect(asked.count == 0)
        #expect("\(client().tag("forum").get("/a"))" == "GET https://forum.example.com/api/a\n  tag: forum")
    }

    static let bodies: [(body: String, step: @Sendable (Request) -> Request)] = [
        ("a JSON object, 2 members", { $0.json(["a": 1, "password": "made-up"]) }), ("JSON of a Note", { $0.json(Note(text: "made-up")) }),
        ("JSON, 7 bytes", { $0.json(Data("made-up".utf8)) }), ("a form, 1 field", { $0.form(["token": "made-up"]) }),
        ("a property list", { $0.body(propertyList: ["a": "made-up"]) }),
        ("7 bytes, text/plain", { $0.body(Data("made-up".utf8), contentType: "text/plain") }),
        ("the file \"photo.heic\", image/heic", { $0.body(file: URL(filePath: "/made-up/photo.heic")) }),
        ("[a stream of 7 bytes], text/plain", { $0.body(stream: AsyncStream<Data> { $0.finish() }, length: 7, contentType: "text/plain") }),
        (
            "a multipart form, 2 parts",
            {
                $0.multipart {
                    $0.field("token", "made-up"); $0.data(Data("made-up".utf8), name: "b")
                }
            }
        ),
    ]

    @Test("a body is described by its kind and size", arguments: bodies.indices)
    func body(index: Int) {
        let shown = "\(Self.bodies[index].step(client().tag("forum").post("/a")))"
        #expect(shown.hasSuffix("\n  body: " + Self.bodies[index].body), "\(shown)")
        #expect(!shown.contains("made-up"))
    }

    @Test("it shows no secrets, of the default ones and of the tag's")
    func secrets() {
        let request = client().tag("forum").post("/a;token=made-up?token=made-up&b=1").header(.authorization, "Bearer made-up")
            .header("X-Member", "made-up").params(["member": "made-up", "password": "made-up", "deep": ["token": "made-up"] as Params])
            .query("access_token", "made-up").set(\.idempotencyKey, "made-up").set(Secret.self, "made-up")
            .id("token=made-up").group("token=made-up")
        var dumped = ""
        dump(request, to: &dumped)
        for text in ["\(request)", String(reflecting: request), dumped] { #expect(!text.contains("made-up"), "\(text)") }
        #expect("\(request)".contains("Authorization: ***") && "\(request)".contains("idempotency key: sent"))
    }

    private enum Secret: OptionKey { static let initial = "" }

    @Test("a fault of a step is shown, and no value makes a further line")
    func hostile() {
        let request = client().get("/a").multipart { _ in throw APIError(.invalidRequest, message: "made\nup") }
            .params(["a\nretry: never": "b\u{2028}c"]).header("X-A", "1\r\ncache: never").id("x\n  timeout: 1")
        let lines = "\(request)".split(whereSeparator: \.isNewline)
        #expect(lines.count == 6, "\(request)")
        #expect(lines.last?.hasPrefix("  fault: ") == true)
        let long = client().get("/a").header("X-Long", String(repeating: "a", count: 10_000))
        #expect("\(long)".count < 2_200)
    }
}
