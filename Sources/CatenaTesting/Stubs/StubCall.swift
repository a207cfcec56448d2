public import Catena
public import Foundation

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

extension StubCall {
    /// The maximum number of bytes of a body that stubs read into memory.
    private static let bodyLimit = 16 * 1024 * 1024

    /// Reads a body that is read while it is sent, and returns the call with its bytes.
    ///
    /// - Throws: The error of a body that cannot be read, as a transport does.
    static func reading(_ request: HTTPRequest, in context: StubContext) async throws -> StubCall {
        guard let source = request.bodySource else { return StubCall(request: request, context: context) }
        var request = request
        if source.length ?? 0 <= bodyLimit { request.body = try await source.bytes(upTo: bodyLimit) }
        // Replace the source, because a closure of the stub may read it once more, which a stream may not allow.
        if let bytes = request.body { request.bodySource = BodySource(bytes) }
        return StubCall(request: request, context: context)
    }

    /// A clause that says that the body is not in memory, or `nil` if it is or if there is none.
    var unreadBody: String? {
        request.body == nil && request.bodySource != nil ? "the body was not read into memory, because it is longer than 16 MiB" : nil
    }
}

/// A part of a `multipart/form-data` body as it reached the stubs. See ``StubCall/parts``.
public struct StubPart: Sendable {
    /// The name of the field.
    public let name: String
    /// The name of the file, or `nil` for a field.
    public let filename: String?
    /// The media type, or `nil` if the part names none.
    public let contentType: String?
    /// The content.
    public let data: Data

    /// The content as text.
    public var text: String { String(decoding: data, as: UTF8.self) }

    /// The content as JSON, or null if it is not JSON.
    public var json: JSON { StubCall.json(data) ?? JSON(nilLiteral: ()) }
}

extension StubPart: CustomStringConvertible, CustomReflectable {
    /// The name, file name, media type and length, without the content.
    public var description: String {
        ([name, filename, contentType].compactMap { $0 } + ["\(data.count) bytes"]).joined(separator: ", ")
    }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension StubCall {
    /// The parts of a `multipart/form-data` body, in order. Empty for other bodies, and for bodies with files or streams of more than 16 MiB.
    public var parts: [StubPart] {
        guard let body = request.body, let multipart = MultipartBody(body, contentType: headers["Content-Type"]) else { return [] }
        return multipart.parts.map { StubPart(name: $0.name, filename: $0.filename, contentType: $0.contentType, data: $0.content) }
    }

    /// The first part with a name, or `nil` if there is none.
    public func part(_ name: String) -> StubPart? { parts.first { $0.name == name } }
}
