import Foundation

/// Quotes the beginning of a body in errors: decoded by its media type, without secrets, and only if it is text.
enum BodyExcerpt {
    /// The length in bytes.
    private static let length = 80

    /// Returns the first bytes on one line, or only the size of the body if it is not text.
    static func start(of body: Data, contentType: String?) -> String {
        var pass = RedactionPass(hiding: .current)
        let bytes = [UInt8](body.prefix(length))
        guard isText(contentType) || isParts(contentType), let shown = pass.redact(body: bytes, contentType: contentType) else {
            return "(\(body.count) bytes)"
        }
        let text = String(decoding: shown, as: UTF8.self)
        // A truncated character becomes U+FFFD.
        guard RedactionPass.isText(Array(text.utf8)) else { return "(\(body.count) bytes)" }
        return Redaction.current.line(text)
    }

    /// Returns whether a media type is text. An unknown type is not. Without a type, or with a type for arbitrary bytes, the content
    /// decides.
    static func isText(_ contentType: String?) -> Bool {
        guard let contentType else { return true }
        let type = contentType.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
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
