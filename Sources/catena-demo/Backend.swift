import Catena
import CatenaTesting

/// One subsystem on this machine, which remembers what it was asked and what it answered.
final class Backend: Sendable {
    let name: String
    let server: LoopbackServer
    private let log = Mutex<[String]>([])

    init(_ name: String) throws {
        self.name = name
        server = try LoopbackServer()
    }

    /// Answers with JSON, so that the tour can show it.
    func answer(_ method: HTTPMethod, _ path: String, _ answer: @escaping @Sendable (RecordedRequest) -> (status: Int, json: String)) {
        server.on(method, path) { [self] request in
            let (status, json) = answer(request)
            log.withLock { log in
                log.append("sent     \(request.method) \(request.target)")
                for name in ["Authorization", "X-Token"] where request.headers.contains(name) {
                    log.append("         \(name): \(request.headers[name] ?? "")")
                }
                if !request.body.isEmpty { log.append("         \(request.bodyText)") }
                log.append("answer   \(status) \(json)")
            }
            return .json(text: json, status: status)
        }
    }

    /// Answers nothing, ever.
    func staySilent(_ path: String) {
        server.get(path) { [self] request in
            log.withLock { $0.append("sent     \(request.method) \(request.target)") }
            return .unanswered
        }
    }

    /// What has been said since this was last asked.
    func takeLog() -> [String] {
        log.withLock { log in
            defer { log = [] }
            return log
        }
    }
}
