public import Foundation

/// The fields and files of a `multipart/form-data` body (RFC 7578), in the order in which they were added.
///
/// ```swift
/// API.tag(.forum).post("/me").multipart { form in
///     form.field("name", "Zoë")
///     form.file(photo, name: "avatar")
///     form.data(thumbnail, name: "thumbnail", filename: "small.png")
/// }
/// ```
public struct MultipartForm: Sendable {
    enum Part: Sendable {
        case field(Params.Member)
        case file(File)
    }

    struct File: Sendable {
        enum Content: Sendable {
            case file(URL)
            case source(BodySource)
        }

        let content: Content
        let name: String
        let filename: String?
        let contentType: String?
    }

    private(set) var parts: [Part] = []
    /// The places of the fields, since a field is sent once.
    private var places: [String: Int] = [:]

    init() {}

    /// Sets a field; `nil` leaves it out, an array or an object becomes several, named as ``Request/parameterStyle(_:)`` says.
    public mutating func field(_ name: String, _ value: (any ParameterValue)?) {
        var params = Params()
        params[name] = value
        guard let member = params.members.first else { return }
        if let place = places[name] {
            parts[place] = .field(member)
        } else {
            places[name] = parts.count
            parts.append(.field(member))
        }
    }

    /// Adds a file, which is read while it is sent.
    ///
    /// - Parameters:
    ///   - filename: The name that the server is told; `nil` is the file's own.
    ///   - contentType: The media type; `nil` is the one of the file name's extension.
    public mutating func file(_ url: URL, name: String, filename: String? = nil, contentType: String? = nil) {
        add(.file(url), name, filename ?? url.lastPathComponent, contentType)
    }

    /// Adds bytes.
    ///
    /// - Parameters:
    ///   - filename: The name that the server is told; `nil` sends the bytes as a field is sent, without a file name.
    ///   - contentType: The media type; `nil` is the one of the file name's extension, and none without a file name.
    public mutating func data(_ data: Data, name: String, filename: String? = nil, contentType: String? = nil) {
        add(.source(BodySource(data)), name, filename, contentType)
    }

    /// Adds a body of any kind: a stream, a range of a file, or several in a row.
    public mutating func source(_ source: BodySource, name: String, filename: String? = nil, contentType: String? = nil) {
        add(.source(source), name, filename, contentType)
    }

    private mutating func add(_ content: File.Content, _ name: String, _ filename: String?, _ contentType: String?) {
        let type = contentType ?? filename.map(FileMediaType.of)
        parts.append(.file(File(content: content, name: name, filename: filename, contentType: type)))
    }

    /// The params without those that are fields here.
    func removingFields(from params: Params) -> Params {
        params.isEmpty || places.isEmpty ? params : Params(params.members.filter { places[$0.key] == nil })
    }
}

extension MultipartForm: CustomStringConvertible {
    /// The number of the parts; their contents may be long, and secret.
    public var description: String { "\(parts.count) parts" }
}
