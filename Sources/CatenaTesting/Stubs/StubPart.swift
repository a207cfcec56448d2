public import Catena
public import Foundation

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
