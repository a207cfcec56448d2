import Foundation

/// The name that `Content-Disposition` suggests for a file (RFC 6266 §4.3), made harmless.
enum SuggestedFileName {
    static func name(in headers: HTTPHeaders) -> String? {
        guard let disposition = headers["Content-Disposition"] else { return nil }
        let parameters = HeaderParameters(disposition)
        // The extended form wins where it can be read.
        let name = parameters.value(of: "filename*").flatMap(extended) ?? parameters.value(of: "filename")
        return name.flatMap(cleaned)
    }

    /// RFC 8187 §3.2: `UTF-8'en'%e2%82%ac`.
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

    /// In bytes: file systems take 255, of which a number or an ending may need some.
    private static let longest = 200

    /// One name that can be that of a file on every system, or `nil` if nothing is left.
    static func cleaned(_ name: String) -> String? {
        // The last part of what some servers send as a whole path.
        let last =
            name.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last.map(String.UnicodeScalarView.init) ?? String.UnicodeScalarView()
        var scalars = String.UnicodeScalarView()
        for scalar in last where !scalar.isControl && scalar != "\u{2028}" && scalar != "\u{2029}" {
            // Windows keeps these for other uses: a colon begins a stream of the file.
            scalars.append("<>:\"|?*".unicodeScalars.contains(scalar) ? "_" : scalar)
        }
        // Dots at the beginning hide a file or lead up, those at the end Windows drops.
        var cleaned = String(scalars).trimmingCharacters(in: CharacterSet(charactersIn: ". "))
        let stem = cleaned.prefix { $0 != "." }.trimmingCharacters(in: .whitespaces).uppercased()
        if isDevice(stem) { cleaned = "_" + cleaned }
        return cleaned.isEmpty ? nil : shortened(cleaned)
    }

    /// The names of devices that Windows has in every folder, with any ending.
    private static func isDevice(_ stem: String) -> Bool {
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(stem) { return true }
        guard stem.count == 4, stem.hasPrefix("COM") || stem.hasPrefix("LPT") else { return false }
        return stem.last.map { "0123456789¹²³".contains($0) } ?? false
    }

    /// Keeps the ending, by which systems know what is in a file.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > longest else { return name }
        let mark = name.lastIndex(of: ".") ?? name.endIndex
        let ending = name[mark...].utf8.count <= 20 ? String(name[mark...]) : ""
        // By scalars, which are short whatever the characters are.
        var stem = name.dropLast(ending.count).unicodeScalars
        var length = stem.reduce(0) { $0 + UTF8.width($1) }
        while length + ending.utf8.count > longest, let last = stem.popLast() { length -= UTF8.width(last) }
        return String(stem) + ending
    }
}
