import CatenaPlatform

/// Reads the file name that `Content-Disposition` suggests (RFC 6266 §4.3), and makes it safe.
enum SuggestedFileName {
    static func name(in headers: HTTPHeaders) -> String? {
        guard let disposition = headers["Content-Disposition"] else { return nil }
        let parameters = HeaderParameters(disposition)
        // Prefer the extended form if it can be decoded.
        let name = parameters.value(of: "filename*").flatMap(extended) ?? parameters.value(of: "filename")
        return name.flatMap(cleaned)
    }

    /// Decodes a value such as `UTF-8'en'%e2%82%ac` (RFC 8187 §3.2).
    private static func extended(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let bytes = PercentDecoding.bytes(of: parts[2])
        switch parts[0].lowercased() {
        case "utf-8": return bytes.withUnsafeBufferPointer { String(wholeUTF8: $0) }
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }

    /// The maximum length in bytes. File systems allow 255, and a number or an extension may need some.
    private static let longest = 200

    /// Returns a file name that is valid on every system, or `nil` if nothing is left.
    static func cleaned(_ name: String) -> String? {
        // Some servers send a whole path.
        let last =
            name.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last.map(String.UnicodeScalarView.init) ?? String.UnicodeScalarView()
        var scalars = String.UnicodeScalarView()
        for scalar in last where !scalar.isControl {
            // Windows reserves these characters. For example, a colon begins a stream of the file.
            scalars.append("<>:\"|?*".unicodeScalars.contains(scalar) ? "_" : scalar)
        }
        // Leading dots hide a file or lead to a parent folder. Windows drops trailing dots.
        var cleaned = String(scalars).trimmed(of: ". ")
        let stem = cleaned.prefix { $0 != "." }.trimmed().uppercased()
        if isDevice(stem) { cleaned = "_" + cleaned }
        return cleaned.isEmpty ? nil : shortened(cleaned)
    }

    /// Returns whether a name, with any extension, is a device that Windows has in every folder.
    private static func isDevice(_ stem: String) -> Bool {
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(stem) { return true }
        guard stem.count == 4, stem.hasPrefix("COM") || stem.hasPrefix("LPT") else { return false }
        return stem.last.map { "0123456789¹²³".contains($0) } ?? false
    }

    /// Shortens a name but keeps its extension, because systems derive the file type from it.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > longest else { return name }
        let mark = name.lastIndex(of: ".") ?? name.endIndex
        let ending = name[mark...].utf8.count <= 20 ? String(name[mark...]) : ""
        // By scalars, because a character can be arbitrarily long.
        var stem = name.dropLast(ending.count).unicodeScalars
        var length = stem.reduce(0) { $0 + UTF8.width($1) }
        while length + ending.utf8.count > longest, let last = stem.popLast() { length -= UTF8.width(last) }
        return String(stem) + ending
    }
}
