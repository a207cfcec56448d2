import Catena
import CatenaTesting

/// The service of the SDK, on this machine.
struct PaymentsBackend {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.get("/charges") { request in
            switch request.query("starting_after") {
            case nil: .json(text: #"{"data":[{"id":"ch_1"},{"id":"ch_2"}],"has_more":true}"#)
            case "ch_2": .json(text: #"{"data":[{"id":"ch_3"}],"has_more":true}"#)
            default: .json(text: #"{"data":[{"id":"ch_4"}],"has_more":false}"#)
            }
        }
        // The cursor has a name that means other things elsewhere.
        server.get("/refunds") { request in
            guard request.query("page_token") == nil else { return .json(text: #"{"data":[{"id":"re_2"}],"has_more":false}"#) }
            return .json(text: #"{"data":[{"id":"re_1"}],"has_more":true,"page_token":"t1"}"#)
        }
        // The total grows while the list is read.
        server.get("/payouts") { request in
            let page = Int(request.query("page") ?? "") ?? 0
            let items = page > 3 ? "" : #"{"id":"po_\#(page)"}"#
            return .json(text: #"{"items":[\#(items)],"total":\#(page == 1 ? 2 : 3)}"#)
        }
        // The last page leads back to the first one.
        server.get("/disputes") { request in
            request.query("page") == "2"
                ? .json(text: #"{"items":[{"id":"dp_2"}],"next":"/disputes"}"#)
                : .json(text: #"{"items":[{"id":"dp_1"}],"next":"/disputes?page=2"}"#)
        }
        // An empty page says that there are more, again and again.
        server.get("/invoices") { request in .json(text: #"{"items":[],"next_cursor":"c\#(request.visit)"}"#) }
        // Each page takes a part of the time for all of them.
        server.get("/transfers") { request in
            StubReply.json(text: #"{"items":[{"id":"tr_\#(request.visit)"}],"next_cursor":"c\#(request.visit)"}"#)
                .delayed(by: .milliseconds(100))
        }
        server.get("/balance") { _ in .status(429).header("Retry-After", "30") }
    }

    /// Returns the number of requests to a path.
    func count(of path: String) -> String {
        "\(server.requests.count { $0.path == path })"
    }
}
