import Foundation

/// The directives of `Cache-Control` (RFC 9111 §5.2).
struct CacheControl: Equatable {
    private var directives: [String: String?] = [:]

    init(_ headers: HTTPHeaders) {
        var isThere = false
        for field in headers.fields where sameHeaderName(field.name, "Cache-Control") {
            isThere = true
            read(field.value)
        }
        // What HTTP/1.0 had in its place (§5.4).
        if !isThere, headers["Pragma"]?.lowercased().contains("no-cache") == true {
            directives["no-cache"] = .some(nil)
        }
    }

    func contains(_ name: String) -> Bool { directives[name] != nil }

    /// Whether a directive stands alone, as `max-stale` may.
    func hasNoArgument(_ name: String) -> Bool {
        directives[name].map { $0 == nil } ?? false
    }

    /// The seconds of a directive. What is no number counts as none: an answer whose age limit cannot be read is stale (§4.2.1).
    func seconds(_ name: String) -> TimeInterval? {
        guard let argument = directives[name] else { return nil }
        guard let text = argument, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
        // Beyond 2^31 all are the same (§1.2.2).
        return min(Double(text) ?? 0, 2_147_483_648)
    }

    /// Reads the directives, between which commas stand that are in no quotes.
    private mutating func read(_ field: String) {
        var start = field.startIndex
        var isQuoted = false
        for index in field.utf8.indices {
            switch field.utf8[index] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                take(field[start..<index])
                start = field.utf8.index(after: index)
            default: break
            }
        }
        take(field[start...])
    }

    private mutating func take(_ directive: Substring) {
        let equals = directive.utf8.firstIndex(of: UInt8(ascii: "="))
        let name = Self.trimmed(directive[..<(equals ?? directive.endIndex)], of: " \t").lowercased()
        guard !name.isEmpty else { return }
        let written = equals.map { Self.trimmed(directive[directive.utf8.index(after: $0)...], of: " \t") } ?? ""
        let argument = written.isEmpty ? nil : String(Self.trimmed(written, of: "\""))
        // Of two that contradict each other the shorter time counts.
        if let former = directives[name].flatMap({ $0 }).flatMap(Double.init), let later = argument.flatMap(Double.init), former <= later {
            return
        }
        directives[name] = .some(argument)
    }

    private static func trimmed(_ text: Substring, of ends: StaticString) -> Substring {
        func isEnd(_ byte: UInt8) -> Bool { ends.withUTF8Buffer { $0.contains(byte) } }
        guard let first = text.utf8.firstIndex(where: { !isEnd($0) }), let last = text.utf8.lastIndex(where: { !isEnd($0) }) else {
            return text[text.endIndex...]
        }
        return text[first...last]
    }
}
