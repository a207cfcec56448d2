public import Catena
public import CatenaLoopback
public import CatenaPlatform

extension StubRequest {
    /// The maximum number of bytes of a body that stubs read into memory.
    private static let bodyLimit = 16 * 1024 * 1024

    /// Reads a body that is read while it is sent, and returns the request with its bytes.
    ///
    /// - Throws: The error of a body that cannot be read, as a transport does.
    static func reading(_ request: HTTPRequest, in context: StubContext) async throws -> StubRequest {
        guard let source = request.bodySource else { return StubRequest(request, of: context) }
        var request = request
        if source.length ?? 0 <= bodyLimit { request.body = try await source.bytes(upTo: bodyLimit) }
        // Replace the source, because a closure of the stub may read it once more, which a stream may not allow.
        if let bytes = request.body { request.bodySource = BodySource(bytes) }
        return StubRequest(request, of: context)
    }

    /// The words for differences of the request, without the secrets of its tag.
    var words: DifferenceWords { DifferenceWords(of: sent) }

    /// The path, and the path without the host's path. A stub may use either.
    var paths: [String] {
        let (path, hostPath) = (path, context.hostPath)
        let host = hostPath.hasSuffix("/") ? String(hostPath.dropLast()) : hostPath
        return !host.isEmpty && path.hasPrefix(host + "/") ? [path, String(path.dropFirst(host.count))] : [path]
    }
}

/// A part of a `multipart/form-data` body of a request. See ``CatenaLoopback/StubRequest/parts``.
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
    public var json: JSON { (try? JSON(parsing: data)) ?? JSON(nilLiteral: ()) }
}

extension StubPart: CustomStringConvertible, CustomReflectable {
    /// The name, file name, media type and length, without the content.
    public var description: String {
        ([name, filename, contentType].compactMap { $0 } + ["\(data.count) bytes"]).joined(separator: ", ")
    }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension StubRequest {
    /// The parts of a `multipart/form-data` body, in order. Empty for other bodies, and for bodies with files or streams of more than 16 MiB.
    public var parts: [StubPart] {
        guard let multipart = MultipartBody(body, contentType: headers["Content-Type"]) else { return [] }
        return multipart.parts.map { StubPart(name: $0.name, filename: $0.filename, contentType: $0.contentType, data: $0.content) }
    }

    /// The first part with a name, or `nil` if there is none.
    public func part(_ name: String) -> StubPart? { parts.first { $0.name == name } }
}
