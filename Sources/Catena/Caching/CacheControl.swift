import Foundation

/// The directives of `Cache-Control` (RFC 9111 §5.2).
struct CacheControl: Equatable {
    private var directives: [String: String?] = [:]

    init(_ headers: HTTPHeaders) {
        for field in headers.values(for: "Cache-Control") { read(field) }
        // What HTTP/1.0 had in its place (§5.4).
        if !headers.contains("Cache-Control"), headers["Pragma"]?.lowercased().contains("no-cache") == true {
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

    private mutating func read(_ field: String) {
        for directive in Self.split(field) {
            let parts = directive.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard let name = parts.first?.lowercased(), !name.isEmpty else { continue }
            let argument = parts.count > 1 ? parts[1].trimmingCharacters(in: ["\""]) : nil
            // Of two that contradict each other the shorter time counts.
            if let former = directives[name].flatMap({ $0 }).flatMap(Double.init), let later = argument.flatMap(Double.init),
                former <= later
            {
                continue
            }
            directives[name] = .some(argument)
        }
    }

    /// Splits at the commas that are not in quotes.
    private static func split(_ field: String) -> [String] {
        var parts = [""]
        var isQuoted = false
        for character in field.unicodeScalars {
            if character == "\"" { isQuoted.toggle() }
            if character == ",", !isQuoted {
                parts.append("")
            } else {
                parts[parts.count - 1].unicodeScalars.append(character)
            }
        }
        return parts
    }
}
