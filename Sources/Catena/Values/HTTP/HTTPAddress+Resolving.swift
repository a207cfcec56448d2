import CatenaPlatform

extension HTTPAddress {
    /// Resolves a reference that occurs at this address (RFC 3986 §5.2).
    ///
    /// User information is dropped. A scheme other than http and https is rejected.
    func resolving(_ reference: String) throws(Fault) -> HTTPAddress {
        // The spaces of any language, so that none hides a scheme. Line breaks stay, and are refused.
        let reference = reference.trimmed { $0 == "\t" || $0.properties.generalCategory == .spaceSeparator }.unicodeScalars[...]
        guard !reference.isEmpty else { throw Fault(reason: "it is empty") }
        // U+FFFD replaces bytes that are not UTF-8.
        guard !reference.contains("\u{FFFD}") else { throw Fault(reason: "it is not text") }
        if let name = Self.schemeName(of: reference) {
            let rest = reference[name.endIndex...].dropFirst()
            let scheme = try Self.checkedScheme(name, followedBy: rest)
            return try HTTPAddress(parsing: "\(scheme)://\(Self.droppingUserInformation(rest.dropFirst(2)))")
        }
        if reference.starts(with: "//".unicodeScalars) {
            return try HTTPAddress(parsing: "\(scheme)://\(Self.droppingUserInformation(reference.dropFirst(2)))")
        }
        let text = String(reference.prefix { $0 != "#" })
        switch text.unicodeScalars.first {
        case nil: return self
        case "/": return try HTTPAddress(parsing: "\(origin)\(text)")
        case "?": return try HTTPAddress(parsing: "\(origin)\(path)\(text)")
        default:
            let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
            return try HTTPAddress(parsing: "\(origin)\(folder)\(text)")
        }
    }

    /// Removes user information. The parser rejects a backslash later, because some readers end the authority there and others do not.
    private static func droppingUserInformation(_ text: Scalars) -> String {
        let authority = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.contains("\\"), let at = authority.lastIndex(of: "@") else { return String(text) }
        return String(text[at...].dropFirst())
    }

    /// Returns a percent-encoded path that starts with a slash, without `.` and `..` segments (RFC 3986 §5.2.4).
    ///
    /// Transports and servers do this too, and some also treat `%2E` as a dot. They would then reach another resource than the one that was
    /// checked and shown.
    static func removingDotSegments(from path: String) -> String {
        var mayHaveSome = false
        var former: UInt8 = 0
        for byte in path.utf8 {
            if former == UInt8(ascii: "/"), byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%") { mayHaveSome = true }
            former = byte
        }
        guard mayHaveSome else { return path }
        var kept: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment.replacing("%2E", with: ".").replacing("%2e", with: ".") {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/")
    }
}
