import Foundation

/// The beginning of a body, as errors quote it: read by its media type, without secrets, and nothing of what is no text.
enum BodyExcerpt {
    /// In bytes.
    private static let length = 80

    /// The first bytes on one line, or how many bytes there are if they are no text.
    static func start(of body: Data, contentType: String?) -> String {
        var pass = RedactionPass(hiding: .current)
        let bytes = [UInt8](body.prefix(length))
        guard isText(contentType) || isParts(contentType), let shown = pass.redact(body: bytes, contentType: contentType) else {
            return "(\(body.count) bytes)"
        }
        let text = String(decoding: shown, as: UTF8.self)
        // A character that is cut in two shows as U+FFFD.
        guard RedactionPass.isText(Array(text.utf8)) else { return "(\(body.count) bytes)" }
        return Redaction.current.line(text)
    }

    /// Whether a media type is that of text: an unknown one is not. What names no type, or only bytes, is read by what it looks like.
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
