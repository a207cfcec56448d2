import Catena
import CatenaPlatform

/// A response as bytes for the wire.
struct ServerMessage {
    let head: Data
    let body: Data
    /// The bytes after ``body``, and how often they are repeated.
    let repetition: (data: Data, count: Int)?
    private let chunks: [Data]

    /// Creates the message of a reply.
    ///
    /// - Parameters:
    ///   - omitsBody: Whether the request was a HEAD: the response has the header fields of a GET but no body (RFC 9110 §9.3.2).
    ///   - closes: Whether to announce that the connection closes.
    init(_ reply: StubReply, omitsBody: Bool, closes: Bool) {
        let reply = reply.onTheWire()
        if case .raw(let bytes) = reply.content {
            head = Data()
            body = bytes
            repetition = nil
            chunks = []
            return
        }
        let hasNoBody = (100..<200).contains(reply.status) || reply.status == 204 || reply.status == 304
        var head = Self.start(of: reply)
        let isFramed = reply.headers.contains("Content-Length") || reply.headers.contains("Transfer-Encoding")
        var body = Data()
        var chunks: [Data] = []
        var repetition: (data: Data, count: Int)?
        switch reply.content {
        case .bytes(let content):
            if !isFramed && !hasNoBody { Self.append("Content-Length", String(content.count), to: &head) }
            body = content
        case .stream:
            if !isFramed && !hasNoBody { Self.append("Transfer-Encoding", "chunked", to: &head) }
        case .chunks(let content, let trailers):
            if !isFramed && !hasNoBody { Self.append("Transfer-Encoding", "chunked", to: &head) }
            chunks = content
            body = Self.framed(chunks, trailers: trailers)
        case .repeated(let data, let count):
            if !isFramed && !hasNoBody { Self.append("Content-Length", String(data.count * count), to: &head) }
            repetition = (data, count)
        case .raw, .made, .failure, .silence:
            break
        }
        if closes && !reply.headers.contains("Connection") { Self.append("Connection", "close", to: &head) }
        head.append(contentsOf: "\r\n".utf8)
        self.head = Data(head)
        self.body = omitsBody || hasNoBody ? Data() : body
        self.repetition = omitsBody || hasNoBody ? nil : repetition
        self.chunks = omitsBody || hasNoBody ? [] : chunks
    }

    /// Returns the position in ``body`` after the first `count` bytes of content.
    func position(ofContent count: Int) -> Int {
        guard !chunks.isEmpty else { return min(max(count, 0), body.count) }
        var rest = max(count, 0)
        var position = 0
        for chunk in chunks where rest > 0 {
            let frame = Self.sizeLine(of: chunk).count
            if rest < chunk.count { return position + frame + rest }
            position += frame + chunk.count + 2
            rest -= chunk.count
        }
        return position
    }

    private static func start(of reply: StubReply) -> [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(256)
        head.append(contentsOf: "HTTP/1.1 \(reply.status) \(reasonPhrase(reply.status))\r\n".utf8)
        for field in reply.headers.fields { append(field.name, field.value, to: &head) }
        return head
    }

    private static func append(_ name: String, _ value: String, to head: inout [UInt8]) {
        head.append(contentsOf: name.utf8)
        head.append(contentsOf: ": ".utf8)
        head.append(contentsOf: value.utf8)
        head.append(contentsOf: "\r\n".utf8)
    }

    private static func sizeLine(of chunk: Data) -> String.UTF8View {
        (String(chunk.count, radix: 16) + "\r\n").utf8
    }

    private static func framed(_ chunks: [Data], trailers: HTTPHeaders) -> Data {
        var framed = Data()
        for chunk in chunks {
            framed.append(contentsOf: sizeLine(of: chunk))
            framed.append(chunk)
            framed.append(contentsOf: "\r\n".utf8)
        }
        var end = Array("0\r\n".utf8)
        for field in trailers.fields { append(field.name, field.value, to: &end) }
        framed.append(contentsOf: end)
        framed.append(contentsOf: "\r\n".utf8)
        return framed
    }

    private static func reasonPhrase(_ status: Int) -> String {
        reasonPhrases[status] ?? ""
    }

    private static let reasonPhrases: [Int: String] = [
        100: "Continue", 101: "Switching Protocols", 102: "Processing", 103: "Early Hints", 200: "OK", 201: "Created", 202: "Accepted",
        203: "Non-Authoritative Information", 204: "No Content", 205: "Reset Content", 206: "Partial Content", 300: "Multiple Choices",
        301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
        308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict",
        410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
        415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed", 421: "Misdirected Request",
        422: "Unprocessable Content", 425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    ]
}
