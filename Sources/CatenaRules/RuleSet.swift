import Catena
public import CatenaPlatform

/// Rules by name, as in a file. Reading a set does not install it.
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

    /// The values that rules do not set themselves.
    let standard: Rule
    let rules: [String: Rule]
    /// The parts of a server's file that this version does not know and ignored.
    public let warnings: [RuleFault]

    /// Creates an empty set.
    public init() {
        standard = Rule(Self.defaultName)
        rules = [:]
        warnings = []
    }

    /// Creates a set from rules made in code. Of two rules with the same name the later one is used.
    ///
    /// - Parameters:
    ///   - rules: The rules.
    ///   - standard: The values that rules do not set themselves; its name is ignored.
    public init(_ rules: [Rule], standard: Rule? = nil) {
        self.standard = standard ?? Rule(Self.defaultName)
        self.rules = Dictionary(rules.map { ($0.name, $0) }) { $1 }
        warnings = []
    }

    /// Reads rules from JSON or from a property list.
    ///
    /// - Parameters:
    ///   - data: The content of the file.
    ///   - registry: The names that the rules may use.
    /// - Throws: All faults of the file with their paths.
    public init(parsing data: Data, registry: RuleRegistry = RuleRegistry()) throws(RuleFaults) {
        try self.init(parsing: data, registry: registry, mayBeNewer: false)
    }

    /// Reads rules from JSON or from a property list.
    ///
    /// - Parameter mayBeNewer: Whether unknown keys and numbers are ignored and listed in ``warnings``.
    init(parsing data: Data, registry: RuleRegistry, mayBeNewer: Bool) throws(RuleFaults) {
        try self.init(RuleDocument(data), registry: registry, mayBeNewer: mayBeNewer)
    }

    /// Reads rules from a dictionary with the keys of a rule file, such as a property list that the app has read itself.
    ///
    /// ```swift
    /// let rules = try RuleSet(dictionary: ["TopicList": ["Path": "topics", "Response Type": 3]])
    /// ```
    ///
    /// A value may have any type that `Params` accepts, or the corresponding Foundation type. A dictionary has no order: params and headers of a
    /// rule are sorted by name.
    ///
    /// - Parameters:
    ///   - dictionary: The rules, by name. `DEFAULT` and groups have the same meaning as in a file.
    ///   - registry: The names that the rules may use.
    /// - Throws: All faults with their paths.
    public init(dictionary: [String: Any], registry: RuleRegistry = RuleRegistry()) throws(RuleFaults) {
        try self.init(RuleDocument(dictionary), registry: registry, mayBeNewer: false)
    }

    private init(_ document: RuleDocument, registry: RuleRegistry, mayBeNewer: Bool) throws(RuleFaults) {
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

    /// Returns a rule, with values from `DEFAULT` where it sets none.
    public subscript(name: String) -> Rule? { rules[name]?.over(standard) }
}

/// Writes rules in the format of files, so that rules made in code can be stored and read again.
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
    /// The values that the rule sets, under the keys of files.
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
