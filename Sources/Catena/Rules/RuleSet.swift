public import Foundation

/// Rules by their names, as a file has them. A value: reading one does no more than read.
///
/// ```json
/// {
///     "DEFAULT": { "Base": "https://forum.example.com/api/", "Method": "GET" },
///     "@topics": {
///         "TopicList": { "Path": "topics", "Response Type": 3, "Response Class": "Topic" },
///         "NewTopic": { "Path": "topics", "Method": "POST", "Authorization": true }
///     }
/// }
/// ```
public struct RuleSet: Sendable {
    static let defaultName = "DEFAULT"

    /// What rules do not set themselves.
    let standard: Rule
    let rules: [String: Rule]

    /// No rules.
    public init() {
        standard = Rule(Self.defaultName)
        rules = [:]
    }

    /// Rules made in code; of two with one name the later one counts.
    ///
    /// - Parameter standard: What rules do not set themselves; its name is of no account.
    public init(_ rules: [Rule], standard: Rule? = nil) {
        self.standard = standard ?? Rule(Self.defaultName)
        self.rules = Dictionary(rules.map { ($0.name, $0) }) { $1 }
    }

    /// Reads rules from JSON or from a property list.
    ///
    /// - Parameter registry: What names in rules may stand for.
    /// - Throws: Everything that is wrong, with its paths.
    public init(parsing data: Data, registry: RuleRegistry = RuleRegistry()) throws(RuleFaults) {
        let document = try RuleDocument(data)
        var reader = RuleReader(registry)
        for path in document.repeated { reader.fault(path, "the key stands here twice") }
        var standard = Rule(Self.defaultName)
        var rules: [String: Rule] = [:]
        var places: [String: String] = [:]

        func add(_ member: JSONObject.Member, at path: String) {
            if let place = places[member.key] { return reader.fault(path, "the name is taken by \(place)") }
            places[member.key] = path
            rules[member.key] = reader.rule(member.key, at: path, member.value)
        }

        for member in reader.members(of: document.root, at: "", wanted: "rules by their names") {
            if member.key == Self.defaultName {
                standard = reader.rule(member.key, at: member.key, member.value)
            } else if member.key.hasPrefix("@") {
                for inner in reader.members(of: member.value, at: member.key, wanted: "a group of rules, which is an object") {
                    let path = "\(member.key).\(inner.key)"
                    if inner.key == Self.defaultName || inner.key.hasPrefix("@") {
                        reader.fault(path, "it belongs at the top of the file, not in a group")
                    } else {
                        add(inner, at: path)
                    }
                }
            } else {
                add(member, at: member.key)
            }
        }
        guard reader.faults.isEmpty else { throw RuleFaults(reader.faults) }
        self.standard = standard
        self.rules = rules
    }

    /// The names of the rules, sorted.
    public var names: [String] { rules.keys.sorted() }

    /// A rule with what it takes from `DEFAULT`.
    public subscript(name: String) -> Rule? { rules[name]?.over(standard) }
}
