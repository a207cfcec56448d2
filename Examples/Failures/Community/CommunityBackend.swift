import Catena
import CatenaTesting

/// The backend of the app, on this machine.
struct CommunityBackend {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.get("/feed") { request in
            guard request.query("cursor") == nil else {
                return .json(text: #"{"code":0,"data":{"items":[{"text":"Moss"}],"next_cursor":null}}"#)
            }
            return .json(text: #"{"code":0,"data":{"items":[{"text":"Tea"},{"text":"Rain"}],"next_cursor":"c1"}}"#)
        }
        // The first connection ends without the event that ends a chat.
        server.get("/chat") { request in
            let messages = "data: {\"text\":\"Hello\"}\n\ndata: {\"text\":\"Anybody?\"}\n\n"
            return .text(messages + (request.visit == 1 ? "" : "data: [DONE]\n\n")).header("Content-Type", "text/event-stream")
        }
        server.post("/messages") { _ in .json(text: #"{"code":0}"#) }
        server.post("/reports") { _ in .status(500) }
    }

    /// Returns the number of requests to a path, and the tokens that they had.
    func requests(to path: String) -> String {
        let requests = server.requests.filter { $0.path == path }
        let tokens = Set(requests.compactMap { $0.headers["Authorization"] }).sorted().joined(separator: ", ")
        return "\(requests.count) with \(tokens)"
    }
}
