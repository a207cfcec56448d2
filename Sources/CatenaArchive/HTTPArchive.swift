package import Catena
import CatenaPlatform

/// Calls as HAR 1.2, the format of browsers and other tools.
package struct HTTPArchive: Codable, Sendable, Equatable {
    var log: Log

    struct Log: Codable, Sendable, Equatable {
        var version = "1.2"
        var creator: Creator
        var entries: [Entry]
        var comment: String?
    }

    struct Creator: Codable, Sendable, Equatable {
        var name: String
        var version: String
    }

    package struct Entry: Codable, Sendable, Equatable {
        var startedDateTime: String
        /// The duration in milliseconds, as all times here; -1 if it is unknown.
        var time: Double
        var request: Request
        var response: Response
        var cache = Cache()
        var timings: Timings
        var comment: String?
    }

    struct Cache: Codable, Sendable, Equatable {}

    struct Request: Codable, Sendable, Equatable {
        var method: String
        var url: String
        var httpVersion = "HTTP/1.1"
        var cookies: [Pair] = []
        var headers: [Pair]
        var queryString: [Pair]
        var postData: PostData?
        var headersSize = -1
        var bodySize: Int
    }

    struct Response: Codable, Sendable, Equatable {
        /// The status, or 0 if there was no response.
        var status: Int
        var statusText = ""
        var httpVersion = "HTTP/1.1"
        var cookies: [Pair] = []
        var headers: [Pair]
        var content: Content
        var redirectURL: String
        var headersSize = -1
        var bodySize: Int
    }

    struct Pair: Codable, Sendable, Equatable {
        var name: String
        var value: String
    }

    struct PostData: Codable, Sendable, Equatable {
        var mimeType: String
        var params: [Pair] = []
        var text: String
        /// `base64` if the text is not readable text. HAR 1.2 §1 defines `encoding` for responses only, so the name has an underscore.
        var encoding: String?
        var comment: String?

        private enum CodingKeys: String, CodingKey {
            case mimeType, params, text, comment
            case encoding = "_encoding"
        }
    }

    struct Content: Codable, Sendable, Equatable {
        var size: Int
        var mimeType: String
        var text: String?
        var encoding: String?
        var comment: String?
    }

    struct Timings: Codable, Sendable, Equatable {
        var blocked: Double
        var dns: Double
        var connect: Double
        var ssl: Double
        var send: Double
        var wait: Double
        var receive: Double
    }
}

/// Builds an archive from recorded calls, without secrets.
package struct HTTPArchiveBuilder: Sendable {
    private let redaction: Redaction?

    /// The number of bytes of a body that are read to hide secrets in it.
    static let bytesRead = 64 * 1024

    /// - Parameter redaction: The redaction of secrets, or `nil` if the calls contain none.
    package init(redaction: Redaction? = .standard) {
        self.redaction = redaction
    }

    package func archive(_ calls: [RecordedCall], version: String) -> HTTPArchive {
        HTTPArchive(log: .init(creator: .init(name: "Catena", version: version), entries: calls.map(entry)))
    }

    package func entry(_ call: RecordedCall) -> HTTPArchive.Entry {
        // The redaction of the call's tag takes precedence.
        if redaction != nil, let own = call.request.redaction, own !== redaction { return HTTPArchiveBuilder(redaction: own).entry(call) }
        let timings = timings(call.timings)
        // In HAR, the connect time includes TLS, so `ssl` is not added again.
        let parts = [timings.blocked, timings.dns, timings.connect, timings.send, timings.wait, timings.receive]
        return HTTPArchive.Entry(
            startedDateTime: Self.text(of: call.started), time: parts.filter { $0 > 0 }.reduce(0, +), request: request(call),
            response: response(call), timings: timings, comment: comment(call))
    }

    private func request(_ call: RecordedCall) -> HTTPArchive.Request {
        let request = call.request
        let url = redaction?.redact(request.address) ?? request.address.text
        return HTTPArchive.Request(
            method: request.method.name, url: url, headers: pairs(request.headers), queryString: query(of: url),
            postData: request.body.map { body in
                let content = content(body, of: call.requestSize, request.headers, isEncoded: request.headers.hasContentCoding)
                return HTTPArchive.PostData(
                    mimeType: content.mimeType, text: content.text ?? "", encoding: content.encoding, comment: content.comment)
            } ?? unkept(call), bodySize: call.requestSize)
    }

    /// Returns the data of a body that was read while it was sent, such as a form with a file, or `nil` if there was no body.
    private func unkept(_ call: RecordedCall) -> HTTPArchive.PostData? {
        guard call.requestSize != 0 else { return nil }
        return HTTPArchive.PostData(
            mimeType: call.request.headers["Content-Type"] ?? "application/octet-stream", text: "", comment: "the body is not kept")
    }

    private func response(_ call: RecordedCall) -> HTTPArchive.Response {
        guard let response = call.response else {
            return HTTPArchive.Response(status: 0, headers: [], content: .init(size: 0, mimeType: ""), redirectURL: "", bodySize: -1)
        }
        return HTTPArchive.Response(
            status: response.status, headers: pairs(response.headers),
            content: content(response.body, of: call.responseSize, response.headers),
            redirectURL: shown(response.headers["Location"] ?? ""), bodySize: -1)
    }

    private func content(_ body: Data, of size: Int, _ headers: HTTPHeaders, isEncoded: Bool = false) -> HTTPArchive.Content {
        let type = headers["Content-Type"]
        var content = HTTPArchive.Content(size: size, mimeType: type ?? "application/octet-stream")
        let limit = redaction.map { _ in Self.bytesRead }
        let shown = ShownBody(body, of: size, contentType: type, isEncoded: isEncoded, hiding: redaction, limit: limit)
        if shown.isCut { content.comment = "the start of \(size) bytes" }
        switch shown.content {
        case .text(let text): content.text = text
        case .bytes(let bytes):
            content.text = bytes.base64EncodedString()
            content.encoding = "base64"
        // Bytes that contain a secret are omitted entirely.
        case .hidden: break
        }
        return content
    }

    private func timings(_ timings: CallTimings) -> HTTPArchive.Timings {
        func milliseconds(_ duration: Duration?) -> Double { duration.map { $0 / .milliseconds(1) } ?? -1 }
        let connect = timings.connect.map { $0 + (timings.tls ?? .zero) } ?? timings.tls
        return HTTPArchive.Timings(
            blocked: milliseconds(timings.queue), dns: milliseconds(timings.dns), connect: milliseconds(connect),
            ssl: milliseconds(timings.tls), send: 0, wait: max(milliseconds(timings.firstByte), 0),
            receive: max(milliseconds(timings.transfer), 0))
    }

    private func comment(_ call: RecordedCall) -> String? {
        let parts = [
            call.tag.map { "tag \($0)" }, call.attempt > 1 ? "attempt \(call.attempt)" : nil, call.error.map { shown($0.description) },
        ]
        let comment = parts.compactMap { $0 }.joined(separator: ", ")
        return comment.isEmpty ? nil : comment
    }

    private func pairs(_ headers: HTTPHeaders) -> [HTTPArchive.Pair] {
        (redaction?.redact(headers) ?? headers).fields.map { HTTPArchive.Pair(name: $0.name, value: $0.value) }
    }

    private func shown(_ text: String) -> String {
        redaction?.redact(text: text) ?? text
    }

    private func query(of url: String) -> [HTTPArchive.Pair] {
        guard let mark = url.firstIndex(of: "?") else { return [] }
        return url[url.index(after: mark)...].split(separator: "&").map { pair in
            let name = pair.prefix { $0 != "=" }
            return HTTPArchive.Pair(
                name: PercentDecoding.decode(name, plusIsSpace: true),
                value: PercentDecoding.decode(pair[name.endIndex...].dropFirst(), plusIsSpace: true))
        }
    }

    /// Returns a date as ISO 8601 with milliseconds.
    private static func text(of date: Date) -> String {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.down)
        let seconds = (milliseconds / 1000).rounded(.down)
        guard let text = Date(timeIntervalSince1970: seconds).iso8601Text else { return "1970-01-01T00:00:00.000Z" }
        let rest = String(Int(milliseconds - seconds * 1000))
        return text.dropLast() + "." + String(repeating: "0", count: 3 - rest.utf8.count) + rest + "Z"
    }
}
