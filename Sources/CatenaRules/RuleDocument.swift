import Catena
import CatenaPlatform

/// The content of a rule file before its rules are read.
struct RuleDocument {
    let root: JSON
    /// The paths of keys that occur twice in the same object.
    let repeated: [String]

    /// Reads JSON or a property list, recognised by its first bytes.
    init(_ data: Data) throws(RuleFaults) {
        if Self.isPropertyList(data) {
            repeated = []
            do {
                root = try CheckedPropertyListDecoder(decoder: PropertyListDecoder()).decode(JSON.self, from: data)
            } catch {
                throw RuleFaults(Self.reason(error))
            }
        } else {
            do throws(JSONSyntaxError) {
                root = try JSON(parsing: data)
                repeated = try RepeatedKeys.paths(in: data)
            } catch {
                throw RuleFaults("\(error)")
            }
        }
    }

    /// Takes the content of a dictionary whose values are checked at run time.
    init(_ dictionary: [String: Any]) throws(RuleFaults) {
        repeated = []
        do throws(ParameterError) {
            let members = try Params(checking: dictionary)
            try members.parameterNode.checkIsOfRules()
            root = JSON(members)
        } catch {
            throw RuleFaults([RuleFault(path: error.keyPath, reason: error.reason)])
        }
    }

    private static func isPropertyList(_ data: Data) -> Bool {
        if data.starts(with: Data("bplist".utf8)) { return true }
        let first = data.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
        return first == UInt8(ascii: "<")
    }

    private static func reason(_ error: any Error) -> String {
        if let refusal = error as? PropertyListCheck.Refusal { return refusal.errorDescription ?? refusal.reason }
        guard case .dataCorrupted(let context) = error as? DecodingError else { return "not a valid property list" }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return path.isEmpty ? "not a valid property list" : "\(path): a date or bytes have no place in a rule"
    }
}

extension ParameterNode {
    /// Throws for a date or bytes, which JSON would turn into text.
    fileprivate func checkIsOfRules() throws(ParameterError) {
        switch self {
        case .date, .data: throw ParameterError("a date or bytes have no place in a rule")
        case .object(let members):
            for key in members.keys {
                do throws(ParameterError) {
                    try members[key]?.parameterNode.checkIsOfRules()
                } catch {
                    throw error.inside(key)
                }
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                do throws(ParameterError) {
                    try element.checkIsOfRules()
                } catch {
                    throw error.inside(index)
                }
            }
        default: break
        }
    }
}

/// Finds keys that occur twice in an object, because `JSON` keeps only the first.
private struct RepeatedKeys: JSONVisitor {
    private struct Container {
        var keys: Set<String> = []
        /// The key or index of the member or element that is being read.
        var step = ""
        var count = 0
        let isArray: Bool
    }

    private var containers: [Container] = []
    private var paths: [String] = []

    static func paths(in data: Data) throws(JSONSyntaxError) -> [String] {
        try JSONScanner.read(data) { (scanner) throws(JSONFault) in
            var visitor = RepeatedKeys()
            try scanner.document(&visitor)
            return visitor.paths
        }
    }

    mutating func key(_ token: JSONToken, in scanner: JSONScanner) {
        guard let last = containers.indices.last else { return }
        let key = scanner.string(token)
        containers[last].step = key
        if !containers[last].keys.insert(key).inserted {
            paths.append(containers.map(\.step).joined(separator: "."))
        }
    }

    mutating func scalar(_ token: JSONToken, in scanner: JSONScanner) {
        begin()
    }

    mutating func open(_ kind: JSONSpan.Kind, at offset: Int) {
        begin()
        containers.append(Container(isArray: kind == .array))
    }

    mutating func close(_ kind: JSONSpan.Kind, at offset: Int) {
        _ = containers.popLast()
    }

    private mutating func begin() {
        guard let last = containers.indices.last, containers[last].isArray else { return }
        containers[last].step = String(containers[last].count)
        containers[last].count += 1
    }
}
