/// The names under which responses have been made stale, so that a response that was requested before can be recognized.
///
/// The number of a log grows with each change. A call notes the number when it requests a response, and compares the response with the log afterwards.
package struct InvalidationLog: Codable, Sendable {
    /// The maximum number of names. Beyond it, the log forgets them, and every response that was requested before is stale.
    package static let mostNames = 64

    /// The number of changes.
    package private(set) var number = 0
    /// The number of the latest change that made every response stale.
    private var oldest = 0
    /// The names with the numbers of their latest changes. `*` and `**` in them have the meaning of a ``PathPattern``.
    private var names: [String: Int] = [:]

    package init() {}

    /// Records that the responses with these names are stale.
    package mutating func add(_ names: [String]) {
        number += 1
        for name in names { self.names[name] = number }
        if self.names.count > Self.mostNames { (oldest, self.names) = (number, [:]) }
    }

    /// Whether a response with these names is stale.
    ///
    /// - Parameters:
    ///   - names: The names, or `nil` if they are not known.
    ///   - start: The number of the log when the response was requested.
    package func makesStale(_ names: [String]?, since start: Int) -> Bool {
        guard start < number else { return false }
        return start < oldest || self.names.contains { $0.value > start && ResponseNames.has(names, PathPattern($0.key)) }
    }
}

/// The names by which a change finds responses: the path of their address, and their groups (RFC 9875).
///
/// A name is a path of digests, so that it can be stored and reveals nothing about the request.
package enum ResponseNames {
    /// The maximum number of groups of a response. RFC 9875 §2 requires 32.
    private static let mostGroups = 128

    /// Returns the names of a response.
    static func of(_ address: HTTPAddress, _ headers: HTTPHeaders) -> [String] {
        [name(address.path, at: address.origin) { _ in false }] + groups(of: "Cache-Groups", in: headers, at: address.origin)
    }

    /// Returns the name of a pattern, which keeps its `*` and `**`.
    static func pattern(_ path: String, at origin: String) -> String {
        name(path, at: origin) { $0 == "*" || $0 == "**" }
    }

    private static func name(_ path: String, at origin: String, keeps: (Substring) -> Bool) -> String {
        let segments = path.split(separator: "/").map { segment in
            keeps(segment) ? String(segment) : digest(PercentDecoding.decode(segment, plusIsSpace: false))
        }
        return ([digest(origin)] + segments).reduce("") { $0 + "/" + $1 }
    }

    /// Returns the names of the groups that a header lists. No name of a path begins like them.
    static func groups(of header: String, in headers: HTTPHeaders, at origin: String) -> [String] {
        guard headers.contains(header) else { return [] }
        return strings(in: headers.values(for: header).joined(separator: ",")).prefix(mostGroups).map {
            "/group/\(digest(origin))/\(digest($0))"
        }
    }

    /// Returns whether one of the names matches a pattern. Unknown names match every pattern.
    static func has(_ names: [String]?, _ pattern: PathPattern) -> Bool { names?.contains { pattern.match($0) != nil } ?? true }

    private static func digest(_ text: String) -> String { String(MessageDigest.sha256(text).hex.prefix(16)) }

    /// Returns the strings of a list (RFC 9651 §3.1) without their parameters. Other members are ignored.
    private static func strings(in list: String) -> [String] {
        var (strings, text): ([String], String?) = ([], nil)
        var (isEscaped, isParameter) = (false, false)
        for letter in list.unicodeScalars {
            switch letter {
            case _ where text != nil && (isEscaped || letter != "\"" && letter != "\\"):
                text?.unicodeScalars.append(letter)
                isEscaped = false
            case "\\" where text != nil: isEscaped = true
            case "\"":
                if let text, !isParameter { strings.append(text) }
                text = text == nil ? "" : nil
            case ";": isParameter = true
            case ",": isParameter = false
            default: break
            }
        }
        return strings
    }
}
