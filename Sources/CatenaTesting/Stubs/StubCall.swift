public import Catena
import Foundation

/// A request as it reached the stubs, equal to the one that would have been sent.
public struct StubCall: Sendable {
    /// The request: method, address, headers and body.
    public let request: HTTPRequest

    /// The segments that `{name}` in the stub's path matched, percent-decoded.
    public internal(set) var parameters: [String: String] = [:]

    let context: StubContext
    /// The index of the call among all calls of the stubs.
    var number = 0

    init(request: HTTPRequest, context: StubContext) {
        self.request = request
        self.context = context
    }

    /// The tag of the call, or `nil` if it has none.
    public var tag: Tag? { context.tag }

    /// The value of your own that `set(_:_:)` of the request has set for the call, or the key's initial value.
    public subscript<Key: OptionKey>(key: Key.Type) -> Key.Value { request[key] }

    /// The number of the attempt within its call, from 1.
    public var attempt: Int { context.attempt }

    /// The method of the request.
    public var method: HTTPMethod { request.method }

    /// The headers of the request.
    public var headers: HTTPHeaders { request.headers }

    /// The body as JSON, or null if it is not JSON. The bytes are `request.body`.
    public var json: JSON { request.body.flatMap(Self.json) ?? JSON(nilLiteral: ()) }

    /// The body as text. For a file or a stream of more than 16 MiB, a sentence that says that it was not read.
    public var text: String { unreadBody.map { "(\($0))" } ?? String(decoding: request.body ?? Data(), as: UTF8.self) }

    /// The first value of a query item, decoded, or `nil` if there is none.
    public func query(_ name: String) -> String? {
        queryItems.first { $0.name == name }?.value
    }

    /// The first value of a form field, decoded, or `nil` if there is none.
    public func form(_ name: String) -> String? {
        formItems.first { $0.name == name }?.value
    }

    var queryItems: [(name: String, value: String)] { Self.items(request.address.query ?? "") }

    var formItems: [(name: String, value: String)] {
        let isForm = headers["Content-Type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true
        return isForm ? Self.items(text) : []
    }

    /// The path, and the path without the host's path. A stub may use either.
    var paths: [String] {
        let path = request.address.path
        let host = context.hostPath.hasSuffix("/") ? String(context.hostPath.dropLast()) : context.hostPath
        return !host.isEmpty && path.hasPrefix(host + "/") ? [path, String(path.dropFirst(host.count))] : [path]
    }

    static func json(_ data: Data) -> JSON? {
        try? JSON(parsing: data)
    }

    private static func items(_ text: String) -> [(name: String, value: String)] {
        RecordedRequest.items(Substring(text)).map { ($0.name, $0.value ?? "") }
    }
}

extension StubCall: CustomStringConvertible {
    /// The method, address, tag and attempt, without secrets.
    public var description: String {
        let notes = [tag.map { "tag \($0)" }, attempt > 1 ? "attempt \(attempt)" : nil].compactMap { $0 }
        return notes.isEmpty ? "\(request)" : "\(request) (\(notes.joined(separator: ", ")))"
    }
}
