package import Foundation

/// What may be shown of a body, of which no more is read than is asked for.
package struct ShownBody: Sendable {
    package enum Content: Sendable {
        case text(String)
        /// Bytes that are no text.
        case bytes(Data)
        /// Bytes of which nothing can be shown, since a secret is somewhere in them.
        case hidden
    }

    package let content: Content
    /// Whether there is more than was read.
    package let isCut: Bool

    /// - Parameters:
    ///   - size: How long the whole body is, if this is only its start.
    ///   - redaction: What hides the secrets; `nil` if there are none to be hidden.
    ///   - limit: How many bytes are read; `nil` is all.
    package init(_ body: Data, of size: Int? = nil, contentType: String?, hiding redaction: Redaction?, limit: Int? = nil) {
        isCut = min(limit ?? .max, body.count) < max(size ?? 0, body.count)
        // Cut first: what a log shows of a large body costs no more than what it shows of a small one.
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

    /// Takes the start of a character away whose rest is not there.
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
