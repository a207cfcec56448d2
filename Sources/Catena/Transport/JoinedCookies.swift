/// Takes apart the `Set-Cookie` headers that Foundation has joined into one line.
enum JoinedCookies {
    /// A comma ends a header if a name and an equals sign follow; others belong to dates.
    static func split(_ line: String) -> [String] {
        var lines: [String] = []
        var current = ""
        for part in line.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.drop { $0 == " " }.prefix { $0 != "=" }
            let beginsAnother = part.contains("=") && !name.isEmpty && HeaderRules.isToken(String(name))
            if lines.isEmpty, current.isEmpty {
                current = String(part)
            } else if beginsAnother {
                lines.append(current)
                current = String(part.drop { $0 == " " })
            } else {
                current += ",\(part)"
            }
        }
        lines.append(current)
        return lines
    }
}
