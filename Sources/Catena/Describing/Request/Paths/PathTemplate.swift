/// Fills `{name}` in a path from params.
package enum PathTemplate {
    package struct Fault: Error, Equatable {
        package let name: String
        package let reason: String
    }

    /// Returns the path with each `{name}` replaced by its value. A value is encoded as one segment, so that it cannot add segments or a query.
    ///
    /// - Parameters:
    ///   - leavesOutMissing: Whether a name is left out if it has no value, null or an empty text. Otherwise, these are faults.
    ///   - value: Returns the value of a name, or `nil` if it has none.
    static func fill(
        _ path: String, style: ParameterStyle, leavesOutMissing: Bool = false, value: (String) -> ParameterNode?
    ) throws(Fault) -> String {
        guard path.utf8.contains(0x7B) else { return path }
        var filled = ""
        var rest = path.unicodeScalars[...]
        while let open = rest.firstIndex(of: "{") {
            filled += String(rest[..<open])
            let inner = rest[open...].dropFirst()
            // Stop at the next brace, because no name contains one. The loop continues there, so even many open braces take only linear time.
            let end = inner.firstIndex { $0 == "}" || $0 == "{" } ?? inner.endIndex
            guard end < inner.endIndex, inner[end] == "}", isName(String(inner[..<end])) else {
                filled += String(rest[open..<end])
                rest = inner[end...]
                continue
            }
            let close = end
            let name = String(inner[..<close])
            let node = value(name)
            rest = inner[close...].dropFirst()
            if leavesOutMissing, node == nil || node == .null || node == .string("") { continue }
            guard let node else { throw Fault(name: name, reason: "no param of that name is set, or it is nil") }
            filled += try segment(node, name: name, style: style)
        }
        return filled + String(rest)
    }

    /// Encodes a value as one path segment.
    static func segment(_ node: ParameterNode, name: String, style: ParameterStyle) throws(Fault) -> String {
        try segment(try text(of: node, name: name, style: style), name: name)
    }

    /// Returns the text of a value other than null, an array or an object.
    static func text(of node: ParameterNode, name: String, style: ParameterStyle) throws(Fault) -> String {
        let text: String?
        do throws(ParameterError) {
            text = try style.text(of: node)
        } catch {
            throw Fault(name: name, reason: error.reason)
        }
        guard let text else { throw Fault(name: name, reason: "the value is not a single value") }
        return text
    }

    /// Encodes a text as one path segment.
    static func segment(_ text: String, name: String) throws(Fault) -> String {
        // An empty segment or a dot segment would lead to another resource (RFC 3986 §5.2.4).
        guard !text.isEmpty else { throw Fault(name: name, reason: "the value is empty") }
        guard text != ".", text != ".." else { throw Fault(name: name, reason: "the value \"\(text)\" would change the path") }
        return PercentEncoding.segment.encode(text)
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    }
}
