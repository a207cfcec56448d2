import Catena
import CatenaPlatform

/// A request line and its header section.
struct ServerRequestHead {
    enum Framing: Equatable {
        case length(Int)
        case chunked
    }

    let method: HTTPMethod
    let target: String
    let headers: HTTPHeaders
    let framing: Framing
    let keepsAlive: Bool
    let expectsContinue: Bool
    let bytes: Data

    /// Reads a head that ends with an empty line. The reader is strict, so that tests detect what a client must never send.
    init(_ bytes: Data) throws(ServerRefusal) {
        var lines = Self.lines(of: bytes)[...]
        guard let requestLine = lines.popFirst() else { throw .malformed("there is no request line") }
        let parts = requestLine.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty, parts[2].hasPrefix("HTTP/1.") else {
            throw .malformed("the request line is not “method target HTTP/1.1”")
        }
        var headers = HTTPHeaders()
        for line in lines { try Self.add(line, to: &headers) }
        method = HTTPMethod(String(parts[0]))
        target = String(parts[1])
        framing = try Self.framing(headers)
        let isVersion10 = parts[2] == "HTTP/1.0"
        let connection = headers["Connection"]?.lowercased()
        keepsAlive = isVersion10 ? connection == "keep-alive" : connection?.contains("close") != true
        expectsContinue = !isVersion10 && headers["Expect"]?.lowercased() == "100-continue"
        self.headers = headers
        self.bytes = bytes
    }

    /// The path of the target, without the query and without the origin of an absolute target.
    var path: String {
        let path = target.prefix { $0 != "?" }
        guard !path.hasPrefix("/"), let scheme = path.firstRange(of: "://") else { return String(path) }
        return path[scheme.upperBound...].firstIndex(of: "/").map { String(path[$0...]) } ?? "/"
    }

    private static func lines(of bytes: Data) -> [Substring] {
        // Split as bytes, because in a String CR LF is one character, and a lone CR would be missed.
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.split(separator: 0x0A).compactMap { line in
            let line = line.last == 0x0D ? line.dropLast() : line
            return line.isEmpty ? nil : Substring(line)
        }
    }

    private static func add(_ line: Substring, to headers: inout HTTPHeaders) throws(ServerRefusal) {
        let line = line.utf8
        guard !line.contains(0x0D), !line.contains(0) else { throw .malformed("a header holds CR or NUL") }
        guard let colon = line.firstIndex(of: 0x3A) else { throw .malformed("a header has no colon") }
        let name = line[..<colon]
        // RFC 9112 §5.1 and §5.2: no whitespace before the colon, no folded lines.
        guard !name.isEmpty, !name.contains(0x20), !name.contains(0x09) else {
            throw .malformed("a header name is empty or holds whitespace")
        }
        headers.add(Substring(line[line.index(after: colon)...]).trimmed(), for: String(Substring(name)))
    }

    private static func framing(_ headers: HTTPHeaders) throws(ServerRefusal) -> Framing {
        let lengths = Set(headers.values(for: "Content-Length"))
        if let coding = headers["Transfer-Encoding"] {
            // RFC 9112 §6.1: a request with both can be used for request smuggling.
            guard lengths.isEmpty else { throw .malformed("both Content-Length and Transfer-Encoding are given") }
            guard coding.lowercased() == "chunked" else { throw ServerRefusal(status: 501, reason: "the transfer coding is unknown") }
            return .chunked
        }
        guard let first = lengths.first else { return .length(0) }
        guard lengths.count == 1, first.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(first) else {
            throw .malformed("the Content-Length is not one number")
        }
        return .length(length)
    }
}

/// The reason why a request cannot be served. The server responds with the status and closes the connection, because it cannot find the start of
/// the next request.
struct ServerRefusal: Error, Equatable {
    let status: Int
    let reason: String

    static func malformed(_ reason: String) -> ServerRefusal {
        ServerRefusal(status: 400, reason: reason)
    }

    static let headTooLarge = ServerRefusal(status: 431, reason: "the header section exceeds the server's limit")
    static let bodyTooLarge = ServerRefusal(status: 413, reason: "the body exceeds the server's limit")
}
