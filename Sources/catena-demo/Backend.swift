import Catena
import CatenaTesting

/// A subsystem on this machine that logs its requests and responses.
final class Backend: Sendable {
    let name: String
    let server: LoopbackServer
    private let log = Mutex<[String]>([])

    init(_ name: String) throws {
        self.name = name
        server = try LoopbackServer()
    }

    /// Responds with JSON, which the tour shows.
    func answer(_ method: HTTPMethod, _ path: String, _ answer: @escaping @Sendable (StubRequest) -> (status: Int, json: String)) {
        server.on(method, path) { [self] request in
            let (status, json) = answer(request)
            log.withLock { log in
                log.append("sent     \(request.method) \(request.target)")
                for name in ["Authorization", "X-Token"] where request.headers.contains(name) {
                    log.append("         \(name): \(request.headers[name] ?? "")")
                }
                if !request.body.isEmpty { log.append("         \(request.text)") }
                log.append("answer   \(status) \(json)")
            }
            return .json(text: json, status: status)
        }
    }

    /// Accepts requests to a path and never responds.
    func staySilent(_ path: String) {
        server.get(path) { [self] request in
            log.withLock { $0.append("sent     \(request.method) \(request.target)") }
            return .unanswered
        }
    }

    /// Returns the lines since the last call.
    func takeLog() -> [String] {
        log.withLock { log in
            defer { log = [] }
            return log
        }
    }
}
