import Catena
import CatenaTesting
import Foundation

/// The backends of the tests' calls, which return normal and malicious responses.
final class Backend: Sendable {
    /// Holds the second half of the download until it is opened.
    let download = LoopbackGate()
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        // The fallback for other requests. It is the first route, because later routes take precedence.
        server.on(nil, "*") { request in .json(text: #"{"errcode":0,"data":{"visit":\#(request.visit)}}"#) }
        serveForum()
        serveBodies()
        serveUpload()
        serveHarm()
        server.get("/v1/balance") { _ in .json(text: #"{"result":{"code":10086,"text":"Locked"}}"#) }
        server.get("/v1/slow") { _ in .unanswered }
    }

    private func serveForum() {
        server.get("/v1/rooms") { _ in
            .json(text: #"{"errcode":0,"errmsg":"","data":[{"id":1,"name":"Lobby","open":true},{"id":2,"name":"Café 咖啡","topic":null}]}"#)
                .header("Cache-Control", "max-age=60").header("Set-Cookie", "session=made-up")
        }
        server.post("/v1/rooms") { _ in .json(text: #"{"errcode":0,"data":{"id":3}}"#, status: 201) }
        server.get("/v1/rooms/99") { _ in .json(text: #"{"errcode":404,"errmsg":"No such room"}"#, status: 404) }
        server.get("/v1/users") { request in
            request.visit % 2 == 1
                ? .text("busy", status: 503).header("Retry-After", "0") : .json(text: #"{"errcode":0,"data":[{"id":7,"name":"Ann"}]}"#)
        }
        server.get("/v1/moved") { _ in .redirect(to: "/v1/rooms") }
        server.get("/v1/profile") { request in
            .json(text: request.visit == 1 ? #"{"name":"Ann","level":1}"# : #"{"name":"Ann","level":2,"badge":"gold"}"#)
        }
    }

    private func serveBodies() {
        server.get("/v1/logo") { _ in .body(Self.picture, contentType: "image/png") }
        server.get("/v1/download") { [download] _ in
            .body(Data(repeating: 7, count: 1_000_000)).dripping(50_000, every: .milliseconds(20)).stalled(after: 600_000, by: download)
        }
    }

    /// Receives an upload, and responds when the gate is opened.
    private func serveUpload() {
        server.post("/v1/upload") { [download] _ in .text("done").held(by: download) }
    }

    private func serveHarm() {
        let script = #"<script>document.title='hacked'</script><img src=x onerror="document.title='hacked'">"#
        server.get("/v1/script") { _ in .body(Data(script.utf8), contentType: "text/html").header("X-Html", script) }
        let words = String(repeating: "lorem ipsum ", count: 5)
        let items = (0..<105_000).lazy.map { #"{"id": \#($0), "name": "Item \#($0)", "text": "\#(words)"}"# }
        let large = Data(("[" + items.joined(separator: ", ")).utf8.prefix(10_000_000))
        server.get("/v1/large") { _ in .body(large, contentType: "application/json") }
        server.get("/v1/broken") { _ in
            .body(Data([0x61, 0xFF, 0xFE, 0x62, 0xC3, 0x28]), contentType: "text/plain; charset=utf-8")
        }
        let vector = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>document.title='hacked'</script><circle r='9'/></svg>"
        server.get("/v1/vector") { _ in .body(Data(vector.utf8), contentType: "image/svg+xml") }
    }

    /// A picture of eight by eight pixels.
    private static let picture =
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAeElEQVR4nA3JMQoAMQgAQYsIIgFTWEQQm3x8n3o37YgISzBhC0dI4QotiChLMWUrR0nlKq1/"
                + "OMsxZzvHSec67X8EK7BgByfI4AYdfyQrsWQnJ8nkJp1/FKuwYhenyOIWXX8Ma7BhD2fI4Q49fzzWwx77cR75uI9+fNz3L+GtZRz9AAAAAElFTkSuQmCC")
        ?? Data()

    /// Configures the tags, as an app does once at start-up.
    func configure() {
        let url = server.url
        API.configure(.forum) { forum in
            forum.host = url
            forum.retry = .exponential(limit: 2, baseDelay: .milliseconds(50))
            forum.cache = .memory(limit: 1_000_000)
        }
        API.configure(.wallet) { wallet in
            wallet.host = url
            wallet.envelope = .standard.codes("result.code").message("result.text")
        }
        API.commonHeaders { _ in ["Authorization": "Bearer made-up"] }
    }
}

extension Tag {
    static let forum: Tag = "forum"
    static let wallet: Tag = "wallet"
}
