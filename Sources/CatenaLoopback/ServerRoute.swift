import Catena

/// The handler of a route, which returns at once on the server's thread or runs in a task.
enum ServerHandler: Sendable {
    case immediate(@Sendable (StubRequest) throws -> StubReply)
    case suspending(@Sendable (StubRequest) async throws -> StubReply)
}

/// A method and a path pattern with the handler for them.
struct ServerRoute: Sendable {
    private enum Segment {
        case literal(Substring)
        case parameter(String)
        case anything
    }

    /// The method, or `nil` for any.
    let method: HTTPMethod?
    let handler: ServerHandler
    var visits = 0
    private let pattern: String
    private let segments: [Segment]
    private let isLiteral: Bool

    init(method: HTTPMethod?, pattern: String, handler: ServerHandler) {
        self.method = method
        self.pattern = pattern
        self.handler = handler
        segments = Self.split(pattern).map { segment in
            if segment == "*" { return .anything }
            guard segment.hasPrefix("{"), segment.hasSuffix("}") else { return .literal(segment) }
            return .parameter(String(segment.dropFirst().dropLast()))
        }
        isLiteral = segments.allSatisfy { if case .literal = $0 { true } else { false } }
    }

    /// Returns the texts that matched the named segments, or `nil` if the path does not match.
    func match(_ path: String) -> [String: String]? {
        if path == pattern { return [:] }
        let parts = Self.split(path)
        let endsOpen = if case .anything = segments.last { true } else { false }
        guard parts.count == segments.count || endsOpen && parts.count > segments.count else { return nil }
        if isLiteral && !path.utf8.contains(UInt8(ascii: "%")) { return nil }
        var parameters: [String: String] = [:]
        for (segment, part) in zip(segments, parts) {
            switch segment {
            case .anything: continue
            case .parameter(let name): parameters[name] = PercentDecoding.decode(part, plusIsSpace: false)
            case .literal(let text): guard part == text || PercentDecoding.decode(part, plusIsSpace: false) == text else { return nil }
            }
        }
        return parameters
    }

    private static func split(_ path: String) -> [Substring] {
        (path.hasPrefix("/") ? path.dropFirst() : path[...]).split(separator: "/", omittingEmptySubsequences: false)
    }
}

extension Array where Element == ServerRoute {
    /// Returns the route for a request, the later one first, with the texts that matched its named segments.
    ///
    /// A HEAD without its own route uses the route of the GET (RFC 9110 §9.3.2).
    func match(_ method: HTTPMethod, _ path: String) -> (index: Int, parameters: [String: String])? {
        for index in indices.reversed() where self[index].method == nil || self[index].method == method {
            if let parameters = self[index].match(path) { return (index, parameters) }
        }
        return method == .head ? match(.get, path) : nil
    }
}
