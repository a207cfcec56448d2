package import CatenaPlatform

/// The part of a body that may be shown. At most `limit` bytes are read.
package struct ShownBody: Sendable {
    package enum Content: Sendable {
        case text(String)
        /// Bytes that are not text.
        case bytes(Data)
        /// Bytes that cannot be shown, because they contain a secret.
        case hidden
    }

    package let content: Content
    /// Whether the body is longer than the part that was read.
    package let isCut: Bool

    /// - Parameters:
    /// - size: The length of the whole body, if this is only its start.
    ///  - isEncoded: Whether the bytes have a content coding, so that the secrets among them cannot be found.
    ///  - redaction: The redaction to apply, or `nil` if nothing has to be hidden.
    ///  - limit: The maximum number of bytes to read, or `nil` for all.
    package init(
        _ body: Data, of size: Int? = nil, contentType: String?, isEncoded: Bool = false, hiding redaction: Redaction?, limit: Int? = nil
    ) {
        isCut = min(limit ?? .max, body.count) < max(size ?? 0, body.count)
        if isEncoded, redaction != nil {
            content = .hidden
            return
        }
        // Cut the body first, so that logging a large body costs no more than logging a small one.
        var bytes = [UInt8](limit.map { body.prefix($0) } ?? body)
        if isCut { Self.dropPartOfCharacter(&bytes) }
        if let redaction {
            var pass = RedactionPass(ofBodyHiding: redaction)
            guard let shown = pass.redact(body: bytes, contentType: contentType) else {
                content = .hidden
                return
            }
            bytes = shown
        }
        content = RedactionPass.isText(bytes) ? .text(String(decoding: bytes, as: UTF8.self)) : .bytes(Data(bytes))
    }

    /// Removes an incomplete character from the end.
    private static func dropPartOfCharacter(_ bytes: inout [UInt8]) {
        guard let lead = bytes.suffix(4).lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return }
        let length =
            switch bytes[lead] {
            case 0xC0..<0xE0: 2
            case 0xE0..<0xF0: 3
            case 0xF0...: 4
            default: 1
            }
        if lead + length > bytes.count { bytes.removeSubrange(lead...) }
    }
}

/// Quotes the beginning of a body in errors: decoded by its media type, without secrets, and only if it is text.
enum BodyExcerpt {
    /// The length in bytes.
    private static let length = 80
    /// The number of bytes that are read to find secrets, because the name of a secret may follow its value.
    private static let readLength = 512

    /// Returns the first bytes on one line, or only the size of the body if it is not text.
    static func start(of body: Data, contentType: String?) -> String {
        var pass = RedactionPass(hiding: .current)
        let bytes = [UInt8](body.prefix(readLength))
        guard isText(contentType) || isParts(contentType), let shown = pass.redact(body: bytes, contentType: contentType) else {
            return "(\(body.count) bytes)"
        }
        let text = String(decoding: shown.prefix(length), as: UTF8.self)
        // A truncated character becomes U+FFFD.
        guard RedactionPass.isText(Array(text.utf8)) else { return "(\(body.count) bytes)" }
        return Redaction.current.line(text)
    }

    /// Returns whether a media type is text. An unknown type is not. Without a type, or with a type for arbitrary bytes, the content
    /// decides.
    static func isText(_ contentType: String?) -> Bool {
        guard let contentType else { return true }
        let type = contentType.prefix { $0 != ";" }.trimmed().lowercased()
        if type.hasPrefix("text/") || type.hasSuffix("+json") || type.hasSuffix("+xml") { return true }
        return textTypes.contains(type)
    }

    private static func isParts(_ contentType: String?) -> Bool { contentType?.lowercased().hasPrefix("multipart/") == true }

    private static let textTypes: Set<String> = [
        "application/json", "application/xml", "application/x-www-form-urlencoded", "application/javascript", "application/x-javascript",
        "application/ndjson", "application/x-ndjson", "application/jsonl", "application/json-seq", "application/yaml", "application/x-yaml",
        "application/x-plist", "application/graphql", "application/octet-stream", "binary/octet-stream",
    ]
}
