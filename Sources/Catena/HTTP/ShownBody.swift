package import Foundation

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
