import Foundation

extension HTTPAddress {
    /// The address that a reference means when it is found at this one (RFC 3986 §5.2).
    ///
    /// User information in it is dropped, never used; a scheme other than http and https is refused.
    func resolving(_ reference: String) throws(Fault) -> HTTPAddress {
        let reference = reference.trimmingCharacters(in: .whitespaces)
        guard !reference.isEmpty else { throw Fault(reason: "it is empty") }
        if let scheme = Self.scheme(of: reference) {
            guard scheme == "http" || scheme == "https" else { throw Fault(reason: "the scheme \"\(scheme)\" is neither http nor https") }
            return try HTTPAddress(parsing: Self.droppingUserInformation(reference)).removingDotSegments()
        }
        if reference.hasPrefix("//") {
            return try HTTPAddress(parsing: Self.droppingUserInformation("\(scheme):\(reference)")).removingDotSegments()
        }
        return try relative(reference)
    }

    private func relative(_ reference: String) throws(Fault) -> HTTPAddress {
        let text = reference.prefix { $0 != "#" }
        let path = text.prefix { $0 != "?" }
        var result = self
        if path.isEmpty {
            if text.isEmpty { return self }
            result = try HTTPAddress(parsing: "\(origin)\(self.path)\(text)")
        } else if path.hasPrefix("/") {
            result = try HTTPAddress(parsing: "\(origin)\(text)")
        } else {
            let folder = self.path[...(self.path.lastIndex(of: "/") ?? self.path.startIndex)]
            result = try HTTPAddress(parsing: "\(origin)\(folder)\(text)")
        }
        return result.removingDotSegments()
    }

    private static func scheme(of reference: String) -> String? {
        guard let colon = reference.firstIndex(of: ":"), let first = reference.first, first.isLetter else { return nil }
        let name = reference[..<colon]
        guard name.utf8.allSatisfy({ $0 < 0x80 }), !name.contains(where: { "/?#".contains($0) }) else { return nil }
        return name.lowercased()
    }

    private static func droppingUserInformation(_ text: String) -> String {
        guard let start = text.range(of: "//")?.upperBound else { return text }
        let end = text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex
        guard let at = text[start..<end].lastIndex(of: "@") else { return text }
        return String(text[..<start] + text[text.index(after: at)...])
    }

    /// RFC 3986 §5.2.4.
    func removingDotSegments() -> HTTPAddress {
        guard path.contains("/.") else { return self }
        var kept: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        var result = self
        result.path = "/" + kept.joined(separator: "/")
        return result
    }
}
