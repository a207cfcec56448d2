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
    /// What a server's file has that this version does not know, and that was left out.
    public let warnings: [RuleFault]

    /// No rules.
    public init() {
        standard = Rule(Self.defaultName)
        rules = [:]
        warnings = []
    }

    /// Rules made in code; of two with one name the later one counts.
    ///
    /// - Parameters:
    ///   - rules: The rules.
    ///   - standard: What rules do not set themselves; its name is of no account.
    public init(_ rules: [Rule], standard: Rule? = nil) {
        self.standard = standard ?? Rule(Self.defaultName)
        self.rules = Dictionary(rules.map { ($0.name, $0) }) { $1 }
        warnings = []
    }

    /// Reads rules from JSON or from a property list.
    ///
    /// - Parameters:
    ///   - data: The content of the file.
    ///   - registry: What names in rules may stand for.
    /// - Throws: Everything that is wrong, with its paths.
    public init(parsing data: Data, registry: RuleRegistry = RuleRegistry()) throws(RuleFaults) {
        try self.init(parsing: data, registry: registry, mayBeNewer: false)
    }

    /// - Parameter mayBeNewer: Whether keys and numbers that this version does not know are left out, and told in ``warnings``.
    init(parsing data: Data, registry: RuleRegistry, mayBeNewer: Bool) throws(RuleFaults) {
        let document = try RuleDocument(data)
        var reader = RuleReader(registry, mayBeNewer: mayBeNewer)
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
        warnings = reader.warnings
    }

    /// The names of the rules, sorted.
    public var names: [String] { rules.keys.sorted() }

    /// A rule with what it takes from `DEFAULT`.
    public subscript(name: String) -> Rule? { rules[name]?.over(standard) }
}

/// Writes rules as files have them, so that rules made in code can be kept, and read again.
///
/// ```swift
/// try JSONEncoder().encode(RuleSet([votes, topic])).write(to: file)
/// try API.rules.load(file: file)
/// ```
extension RuleSet: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var members = Params()
        if let defaults = JSON(standard.members).object, !defaults.isEmpty { members[Self.defaultName] = JSON(standard.members) }
        for name in names { members[name] = rules[name].map { JSON($0.members) } }
        try JSON(members).encode(to: encoder)
    }
}

extension Rule {
    /// What the rule sets, under the keys of files.
    fileprivate var members: Params {
        var members = Params()
        func set(_ key: RuleKey, _ value: (any ParameterValue)?) { members[key.rawValue] = value }
        set(.base, base)
        set(.pathPrefix, pathPrefix)
        set(.path, path?.shown)
        set(.method, method?.name)
        set(.headers, headers.map { headers in headers.fields.reduce(into: Params()) { $0[$1.name] = headers[$1.name] } })
        set(.parameters, params)
        set(.authorization, isAuthorized)
        set(.serializer, serializer)
        set(.cachePolicy, cachePolicy?.rawValue)
        set(.expire, expire.map { $0 / .seconds(1) })
        set(.offlinePolicy, offlinePolicy?.rawValue)
        set(.responseSerializer, responseSerializer)
        set(.responseType, responseType?.rawValue)
        set(.responseAcceptNull, acceptsNull)
        set(.responseClass, responseClass)
        set(.userInfo, userInfo)
        set(.notes, notes)
        return members
    }
}
