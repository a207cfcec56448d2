import Catena
import CatenaTesting
import Foundation
import Synchronization

/// A backend whose lists have the token of each request.
final class Backend: Sendable {
    /// The version of HTTP that the backend speaks.
    enum Version: String, CaseIterable { case http1 = "HTTP/1.1", http2 = "HTTP/2" }

    let version: Version
    let url: String
    /// The tokens of the requests so far.
    let record = Record()
    private let end: @Sendable () -> Void

    init(_ version: Version) throws {
        let record = record
        self.version = version
        switch version {
        case .http1:
            let server = try LoopbackServer()
            server.get("/list") { .json(text: record.page(for: $0)).header("Cache-Control", "max-age=0") }
            server.get("/events") { request in
                _ = record.page(for: request)
                return .body(Data("retry: 1\nid: 7\ndata: \(request.token)\n\n".utf8), contentType: "text/event-stream")
            }
            server.get("/file") { request in
                _ = record.page(for: request)
                let content = Data((request.token + String(repeating: ".", count: 100_000)).utf8)
                let start = request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) }
                guard let start else { return .body(content).header("ETag", "\"1\"").connectionLost(after: 60_000) }
                let rest = StubReply.body(Data(content.dropFirst(start)), status: 206).header("ETag", "\"1\"")
                return rest.header("Content-Range", "bytes \(start)-\(content.count - 1)/\(content.count)")
            }
            (url, end) = (server.url, { server.stop() })
        case .http2:
            let server = try PlainHTTP2Server { head in
                let loop = head.firstMatch(of: /loop-[0-9]+~+/).map { String($0.output) }
                let token = head.firstMatch(of: /Bearer [a-z0-9-]+~+/).map { String($0.output) }
                return record.page(loop ?? "", token ?? "nobody")
            }
            (url, end) = (server.url, { server.stop() })
        }
    }

    func stop() { end() }

    /// The tokens of the requests of each loop of calls.
    final class Record: Sendable {
        private struct State {
            var tokens: [String: [String]] = [:]
            var between: [String: @Sendable () -> Void] = [:]
        }

        private let state = Mutex(State())

        /// Runs a closure within the next request of a loop, before its response.
        func withinNext(of loop: String, _ run: @escaping @Sendable () -> Void) { state.withLock { $0.between[loop] = run } }

        func tokens(of loop: String) -> [String] { state.withLock { $0.tokens[loop] ?? [] } }

        fileprivate func page(for request: StubRequest) -> String { page(request.headers["X-Loop"] ?? "", request.token) }

        /// Returns the page of a list whose only item is the token, of four pages.
        fileprivate func page(_ loop: String, _ token: String) -> String {
            let (count, between) = state.withLock { state in
                state.tokens[loop, default: []].append(token)
                return (state.tokens[loop]?.count ?? 0, state.between.removeValue(forKey: loop))
            }
            between?()
            let cursor = count < 4 ? "\"c\(count)\"" : "null"
            return #"{"code":0,"data":{"list":["\#(token)"],"total":4,"nextCursor":\#(cursor)}}"#
        }
    }
}

extension StubRequest {
    fileprivate var token: String { headers["Authorization"] ?? "nobody" }
}
