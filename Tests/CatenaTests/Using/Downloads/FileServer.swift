import CatenaTesting
import Foundation

@testable import Catena

/// Serves one file with ranges, as web servers do (RFC 9110 §13.1.5, §14), and ends responses early at the positions in `cuts`.
final class FileServer: Sendable {
    struct Settings: Sendable {
        var content = Data()
        var headers: HTTPHeaders = ["ETag": "\"1\""]
        /// The positions in the file at which the next responses end early, one for each response.
        var cuts: [Int] = []
        /// The maximum number of bytes in a response with a range.
        var most = Int.max
        var isChunked = false
        var hasRanges = true
        /// Returns the response to a request, or `nil` for that of the file.
        var override: (@Sendable (StubRequest) -> StubReply?)?
    }

    let server: LoopbackServer
    private let settings: Mutex<Settings>

    init(_ content: Data, _ change: (inout Settings) -> Void = { _ in }) throws {
        var initial = Settings(content: content)
        change(&initial)
        settings = Mutex(initial)
        server = try LoopbackServer()
        server.get("/file") { [weak self] request in self?.answer(request) ?? .status(500) }
    }

    deinit {
        server.stop()
    }

    var url: String { server.url }

    func change(_ change: (inout Settings) -> Void) {
        settings.withLock { change(&$0) }
    }

    /// The requested ranges, with "" for a request without a range.
    var ranges: [String] { server.requests.map { $0.headers["Range"] ?? "" } }

    private func answer(_ request: StubRequest) -> StubReply {
        let (now, cut) = settings.withLock { ($0, $0.cuts.isEmpty ? nil : $0.cuts.removeFirst()) }
        if let answer = now.override?(request) { return answer }
        let start = now.hasRanges ? Self.start(request, now) : nil
        guard let start else { return whole(now.content, 200, now, cut: cut, start: 0) }
        guard start < now.content.count else {
            return StubReply.status(416).header("Content-Range", "bytes */\(now.content.count)")
        }
        let part = now.content.dropFirst(start).prefix(now.most)
        return whole(Data(part), 206, now, cut: cut, start: start)
            .header("Content-Range", "bytes \(start)-\(start + part.count - 1)/\(now.content.count)")
    }

    private static func start(_ request: StubRequest, _ now: Settings) -> Int? {
        guard let range = request.headers["Range"], range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
        if let condition = request.headers["If-Range"], ![now.headers["ETag"], now.headers["Last-Modified"]].contains(condition) {
            return nil
        }
        return Int(range.dropFirst(6).dropLast())
    }

    private func whole(_ content: Data, _ status: Int, _ now: Settings, cut: Int?, start: Int) -> StubReply {
        var answer = now.isChunked ? StubReply.chunked([content]) : .body(content)
        answer.status = status
        for field in now.headers.fields { answer = answer.header(field.name, adding: field.value) }
        return cut.map { answer.connectionLost(after: max(0, $0 - start)) } ?? answer
    }
}
