public import Catena
import CatenaPlatform

extension Request {
    /// Returns the request as it would be sent now, as text for snapshot tests: the request line, the headers sorted by name, and the body.
    ///
    /// ```swift
    /// #expect(try await client.post("/rooms").json(["name": "lobby"]).text() == """
    ///     POST https://stubs.test/rooms
    ///     …
    ///     """)
    /// ```
    ///
    /// The text is the same in each run: JSON is indented with sorted members, the boundary of a form is left out, and secrets are `***`.
    /// Nothing is sent.
    ///
    /// - Throws: The ``APIError`` with which executing the request would fail.
    public func text() async throws -> String {
        var redaction = try RecordingRedaction(RecordingRules())
        return redaction.hide(try await preview()).text
    }
}

extension HTTPRequest {
    fileprivate var text: String {
        let type = headers["Content-Type"]
        let multipart = body.flatMap { MultipartBody($0, contentType: type) }
        let fields = headers.fields.map { field in
            let isBoundary = multipart != nil && field.name.lowercased() == "content-type"
            return "\(field.name): \(isBoundary ? "multipart/form-data" : field.value)"
        }
        let head = ["\(method) \(address.text)"] + fields.sorted { $0.lowercased() < $1.lowercased() }
        let content = multipart.map { $0.parts.map { "--\n\($0.head.replacing("\r\n", with: "\n"))\n\n\(Self.text(of: $0.content))" } }
        let bodies = content ?? body.map { [Self.text(of: $0)] } ?? (bodySource == nil ? [] : ["(a body that is read while it is sent)"])
        return (head + (bodies.isEmpty ? [] : [""] + bodies)).joined(separator: "\n")
    }

    private static func text(of data: Data) -> String {
        if let json = try? JSON(parsing: data) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            if let text = try? encoder.encode(json) { return String(decoding: text, as: UTF8.self) }
        }
        return String(wholeUTF8: data) ?? "(\(data.count) bytes)"
    }
}
