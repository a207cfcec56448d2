public import CatenaPlatform

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
            /// A value that is encoded when the request is prepared, because the encoder and the style may be those of the tag.
            case json(JSONBodySource)
        }

        let content: Content
        let name: String
        let filename: String?
        let contentType: String?
    }

    private(set) var parts: [Part] = []
    /// The positions of the fields in ``parts``, because a field is sent once.
    private var places: [String: Int] = [:]

    /// Sets a field in place of an earlier one of the same name; `nil` removes the earlier one. An array or an object becomes several fields,
    /// named according to ``RequestSteps/encoding(style:)``.
    public mutating func field(_ name: String, _ value: (any ParameterValue)?) {
        var params = Params()
        params[name] = value
        guard let member = params.members.first else { return removeField(name) }
        if let place = places[name] {
            parts[place] = .field(member)
        } else {
            places[name] = parts.count
            parts.append(.field(member))
        }
    }

    private mutating func removeField(_ name: String) {
        guard let place = places.removeValue(forKey: name) else { return }
        parts.remove(at: place)
        for (name, other) in places where other > place { places[name] = other - 1 }
    }

    /// Adds a file, which is read during sending.
    ///
    /// - Parameters:
    ///   - url: The file on this device.
    ///   - name: The name of the field.
    ///   - filename: The file name that is sent, or `nil` for the name of the file.
    ///   - contentType: The media type, or `nil` for that of the file name's extension.
    public mutating func file(_ url: URL, name: String, filename: String? = nil, contentType: String? = nil) {
        append(.file(url), name, filename ?? url.lastPathComponent, contentType)
    }

    /// Adds bytes.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - name: The name of the field.
    ///   - filename: The file name that is sent, or `nil` to send none, as for a field.
    ///   - contentType: The media type, or `nil` for that of the file name's extension. Without a file name, `nil` sends none.
    public mutating func data(_ data: Data, name: String, filename: String? = nil, contentType: String? = nil) {
        append(.source(BodySource(data)), name, filename, contentType)
    }

    /// Adds params as a JSON object, with its media type. They are written in the style of the call. A value that JSON cannot represent, such as NaN,
    /// fails the call.
    public mutating func json(_ members: Params, name: String, filename: String? = nil) {
        append(.json(.params(members)), name, filename, "application/json")
    }

    /// Adds a value as JSON, with its media type.
    ///
    /// ```swift
    /// API.tag(.files).post("/photos").multipart { form in
    ///     form.json(Caption(text: "At the sea"), name: "caption")
    ///     form.file(photo, name: "photo")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - value: An object, an array or a single value.
    ///   - name: The name of the field.
    ///   - filename: The file name that is sent, or `nil` to send none.
    ///   - encoder: The encoder of the value, or `nil` for that of the tag. Its error fails the call.
    @_disfavoredOverload
    public mutating func json(_ value: some Encodable & Sendable, name: String, filename: String? = nil, encoder: JSONEncoder? = nil) {
        append(.json(.value(value, encoder)), name, filename, "application/json")
    }

    /// Adds a body of any kind: a stream, a range of a file, or several bodies in sequence.
    public mutating func source(_ source: BodySource, name: String, filename: String? = nil, contentType: String? = nil) {
        append(.source(source), name, filename, contentType)
    }

    private mutating func append(_ content: File.Content, _ name: String, _ filename: String?, _ contentType: String?) {
        let type = contentType ?? filename.map(FileMediaType.of)
        parts.append(.file(File(content: content, name: name, filename: filename, contentType: type)))
    }

    /// Returns the params that the form does not contain as fields.
    func removingFields(from params: Params) -> Params {
        params.isEmpty || places.isEmpty ? params : Params(params.members.filter { places[$0.key] == nil })
    }
}

extension MultipartForm: CustomStringConvertible, CustomReflectable {
    /// The number of parts. Their contents are omitted, because they may be long or secret.
    public var description: String { "\(parts.count) parts" }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// Encodes fields and files as `multipart/form-data` (RFC 7578). Files and streams remain references, so that they are not read into memory.
struct MultipartEncoder {
    let boundary: String
    private var parts: [BodySource.Part] = []
    /// The delimiter of a boundary that the caller chose, which no value may contain. A random boundary needs no check.
    private let forbidden: Data?
    /// The bytes written since the last file or stream.
    private var text = Data()

    init(boundary: String?) throws(BodyFault) {
        self.boundary = boundary ?? Self.randomBoundary()
        forbidden = boundary.map { Data("--\($0)".utf8) }
        guard (1...70).contains(self.boundary.utf8.count), self.boundary.utf8.allSatisfy(Self.isBoundaryByte) else {
            throw BodyFault(reason: "the boundary is not 1 to 70 letters, digits or any of '()+_,-./:=? (RFC 2046 §5.1.1)")
        }
    }

    var contentType: String {
        let isToken = HeaderRules.isToken(boundary)
        return "multipart/form-data; boundary=" + (isToken ? boundary : "\"\(boundary)\"")
    }

    mutating func add(_ field: ParameterField) throws(BodyFault) {
        try check(Data(field.value.utf8), of: field.name)
        begin(name: field.name, filename: nil, contentType: nil)
        text.append(contentsOf: field.value.utf8)
        text.append(contentsOf: "\r\n".utf8)
    }

    /// - Parameter source: The bytes of the file.
    mutating func add(_ file: MultipartForm.File, from source: BodySource) throws(BodyFault) {
        guard file.filename?.isEmpty != true else { throw BodyFault(reason: "\"\(Self.escaped(file.name))\": the file name is empty") }
        if let type = file.contentType, !Self.isHeaderText(type) {
            throw BodyFault(reason: "\"\(Self.escaped(file.name))\": the content type is not one")
        }
        begin(name: file.name, filename: file.filename, contentType: file.contentType)
        for part in source.parts {
            if case .data(let data) = part { try check(data, of: file.name) }
            append(part)
        }
        text.append(contentsOf: "\r\n".utf8)
    }

    /// Returns the whole body.
    consuming func finish() -> BodySource {
        text.append(contentsOf: "--\(boundary)--\r\n".utf8)
        flush()
        return BodySource(parts: parts)
    }

    /// Throws if a value contains the delimiter, because the value would end there and the rest become another part (RFC 2046 §5.1.1).
    private func check(_ value: Data, of name: String) throws(BodyFault) {
        guard let forbidden, value.firstPlace(of: forbidden) != nil else { return }
        let place = "the value of \"\(Self.escaped(name))\""
        throw BodyFault(reason: "the boundary \"\(boundary)\" stands in \(place); give another one, or none")
    }

    private mutating func begin(name: String, filename: String?, contentType: String?) {
        text.append(contentsOf: "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.escaped(name))\"".utf8)
        if let filename { text.append(contentsOf: "; filename=\"\(Self.escaped(filename))\"".utf8) }
        if let contentType { text.append(contentsOf: "\r\nContent-Type: \(contentType)".utf8) }
        text.append(contentsOf: "\r\n\r\n".utf8)
    }

    private mutating func append(_ part: BodySource.Part) {
        if case .data(let data) = part {
            text.append(data)
        } else {
            flush()
            parts.append(part)
        }
    }

    private mutating func flush() {
        if !text.isEmpty { parts.append(.data(text)) }
        text = Data()
    }

    /// Escapes a name as browsers do (WHATWG HTML, multipart/form-data encoding algorithm): UTF-8, with quotes and line breaks
    /// percent-encoded. Other control characters are encoded too, because they could end the header.
    static func escaped(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x7F }
        guard !isPlain else { return name }
        return name.unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.value < 0x20 || scalar == "\"" || scalar.value == 0x7F {
                text += (scalar.value < 0x10 ? "%0" : "%") + String(scalar.value, radix: 16, uppercase: true)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }

    private static func randomBoundary() -> String {
        var generator = SystemRandomNumberGenerator()
        let digits = (0..<2).map { _ in String(generator.next() | 1 << 63, radix: 16) }
        return "catena-" + digits.joined()
    }

    private static func isBoundaryByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "'()+_,-./:=?".utf8.contains(byte)
        }
    }

    private static func isHeaderText(_ text: String) -> Bool {
        text.utf8.contains(UInt8(ascii: "/")) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
