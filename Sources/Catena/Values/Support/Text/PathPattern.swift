/// A path in which `*` matches one segment, `**` any number of segments, and `{name}` one segment that becomes a parameter.
package struct PathPattern: Sendable, CustomStringConvertible {
    private enum Segment: Sendable {
        case literal(String)
        case one(name: String?)
        case any
    }

    package let description: String
    private let segments: [Segment]

    package init(_ path: some StringProtocol) {
        description = path.hasPrefix("/") ? String(path) : "/" + path
        segments = Self.split(path).map { text in
            switch text {
            case "**": return .any
            case "*": return .one(name: nil)
            default:
                guard text.hasPrefix("{"), text.hasSuffix("}"), text.count > 2 else {
                    return .literal(PercentDecoding.decode(text, plusIsSpace: false))
                }
                return .one(name: String(text.dropFirst().dropLast()))
            }
        }
    }

    /// Returns the percent-decoded parameters, or `nil` if the path does not match. Ignores a trailing slash.
    package func match(_ path: some StringProtocol) -> [String: String]? {
        let path = Self.split(path).map { PercentDecoding.decode($0, plusIsSpace: false) }
        var parameters: [String: String] = [:]
        // If the pattern after the last `**` does not match, that `**` takes one more segment. No other backtracking is needed.
        var retry: (segment: Int, position: Int)?
        var segment = 0
        var position = 0
        while position < path.count || segment < segments.count {
            if segment < segments.count, case .any = segments[segment] {
                retry = (segment, position)
                segment += 1
            } else if segment < segments.count, position < path.count, Self.fits(segments[segment], path[position], &parameters) {
                segment += 1
                position += 1
            } else if let last = retry, last.position < path.count {
                retry = (last.segment, last.position + 1)
                segment = last.segment + 1
                position = last.position + 1
            } else {
                return nil
            }
        }
        return parameters
    }

    private static func fits(_ segment: Segment, _ text: String, _ parameters: inout [String: String]) -> Bool {
        switch segment {
        case .literal(let literal): return literal == text
        case .one(let name):
            if let name { parameters[name] = text }
            return true
        case .any: return false
        }
    }

    private static func split(_ path: some StringProtocol) -> [String] {
        path.split { $0 == "/" }.map { String($0) }
    }
}
