import Catena

/// A key of a rule in a file.
enum RuleKey: String, CaseIterable {
    /// A note without effect, because the key of a rule is its name.
    case name = "Name"
    case base = "Base"
    case pathPrefix = "Path Prefix"
    case path = "Path"
    case method = "Method"
    case headers = "Headers"
    case parameters = "Parameters"
    case authorization = "Authorization"
    case serializer = "Serializer"
    case cachePolicy = "Cache Policy"
    /// The time in seconds.
    case expire = "Expire"
    case offlinePolicy = "Offline Policy"
    case responseSerializer = "Response Serializer"
    case responseType = "Response Type"
    case responseAcceptNull = "Response Accept Null"
    case responseClass = "Response Class"
    case userInfo = "User Info"
    case notes = "Notes"

    /// Returns the key that differs from `text` only in case, spaces or punctuation.
    static func nearest(to text: String) -> RuleKey? {
        allCases.first { letters(of: $0.rawValue) == letters(of: text) }
    }

    private static func letters(of text: String) -> String {
        text.lowercased().filter(\.isLetter)
    }
}

/// Reads rules and collects all their faults.
struct RuleReader {
    let registry: RuleRegistry
    /// Whether the file may be newer than this version. Unknown keys and numbers are then ignored and reported as warnings.
    let mayBeNewer: Bool
    private(set) var faults: [RuleFault] = []
    /// Warnings about keys and numbers that were ignored.
    private(set) var warnings: [RuleFault] = []

    init(_ registry: RuleRegistry, mayBeNewer: Bool) {
        self.registry = registry
        self.mayBeNewer = mayBeNewer
    }

    /// Notes a key or number that only a newer version may know.
    private mutating func unknown(_ path: String, _ reason: String) {
        if mayBeNewer { warnings.append(RuleFault(path: path, reason: reason)) } else { fault(path, reason) }
    }

    mutating func fault(_ path: String, _ reason: String) {
        faults.append(RuleFault(path: path, reason: reason))
    }

    /// Returns the members of an object. Any other value is a fault and has no members.
    mutating func members(of value: JSON, at path: String, wanted: String) -> [JSONObject.Member] {
        if let object = value.object { return object.members }
        wrong(value, at: path, wanted: wanted)
        return []
    }

    mutating func rule(_ name: String, at path: String, _ value: JSON) -> Rule {
        var rule = Rule(name)
        for member in members(of: value, at: path, wanted: "a rule, which is an object") {
            read(member, at: "\(path).\(member.key)", into: &rule)
        }
        return rule
    }

    private mutating func read(_ member: JSONObject.Member, at path: String, into rule: inout Rule) {
        let value = member.value
        guard let key = RuleKey(rawValue: member.key) else {
            let meant = RuleKey.nearest(to: member.key).map { "; is \"\($0.rawValue)\" meant?" } ?? ""
            return unknown(path, "rules have no such key\(meant)")
        }
        switch key {
        case .name: _ = text(value, path)
        case .base: rule.base = base(value, path)
        case .pathPrefix: rule.pathPrefix = text(value, path)
        case .path: rule.path = text(value, path).map { Path($0) }
        case .method: rule.method = method(value, path)
        case .headers: rule.headers = headers(value, path)
        case .parameters:
            rule.params = object(value, path).map { Params($0.members.map { .init(key: $0.key, node: $0.value.parameterNode) }) }
        case .authorization: rule.isAuthorized = truth(value, path)
        case .serializer: rule.serializer = name(value, path, among: registry.serializers.keys.sorted())
        case .cachePolicy: rule.cachePolicy = number(value, path, Rule.CachePolicy.self)
        case .expire: rule.expire = seconds(value, path)
        case .offlinePolicy: rule.offlinePolicy = number(value, path, Rule.OfflinePolicy.self)
        case .responseSerializer: rule.responseSerializer = name(value, path, among: registry.responseSerializers.keys.sorted())
        case .responseType: rule.responseType = number(value, path, Rule.ResponseType.self)
        case .responseAcceptNull: rule.acceptsNull = truth(value, path)
        case .responseClass:
            rule.responseClass = registry.checksClasses ? name(value, path, among: registry.classNames) : text(value, path)
        case .userInfo: rule.userInfo = object(value, path).map { JSON(members: $0.members) }
        case .notes: rule.notes = text(value, path)
        }
    }

    // MARK: Values, or nil and a fault

    private mutating func text(_ value: JSON, _ path: String) -> String? {
        if value.string == nil { wrong(value, at: path, wanted: "a string") }
        return value.string
    }

    private mutating func object(_ value: JSON, _ path: String) -> JSONObject? {
        if let object = value.object { return object }
        wrong(value, at: path, wanted: "an object")
        return nil
    }

    private mutating func truth(_ value: JSON, _ path: String) -> Bool? {
        if let truth = value.bool ?? [0: false, 1: true][value.int ?? -1] { return truth }
        wrong(value, at: path, wanted: "true or false")
        return nil
    }

    private mutating func number<Choice: RawRepresentable<Int> & CaseIterable>(
        _ value: JSON, _ path: String, _ type: Choice.Type
    ) -> Choice? {
        if let choice = value.int.flatMap(Choice.init) { return choice }
        let wanted = "one of the numbers " + Choice.allCases.map { "\($0.rawValue)" }.joined(separator: ", ")
        if value.int != nil, mayBeNewer {
            unknown(path, "wanted \(wanted), but it is \(JSON.summary(of: value, hidden: false))")
        } else {
            wrong(value, at: path, wanted: wanted)
        }
        return nil
    }

    private mutating func seconds(_ value: JSON, _ path: String) -> Duration? {
        // At most a century, because a `Duration` is limited.
        let spelled = mayBeNewer ? value.string.flatMap { Double($0) } : nil
        if let seconds = value.double ?? spelled, (0...3.2e9).contains(seconds) { return .seconds(seconds) }
        wrong(value, at: path, wanted: "a number of seconds")
        return nil
    }

    private mutating func name(_ value: JSON, _ path: String, among names: [String]) -> String? {
        guard let name = text(value, path) else { return nil }
        if names.contains(name) { return name }
        let known = names.isEmpty ? "nothing is" : "registered are " + names.joined(separator: ", ")
        fault(path, "\(JSON.summary(of: value, hidden: false)) is not registered; \(known)")
        return nil
    }

    private mutating func base(_ value: JSON, _ path: String) -> String? {
        guard let text = text(value, path) else { return nil }
        do throws(HTTPAddress.Fault) {
            _ = try HTTPAddress(parsing: text)
            return text
        } catch {
            fault(path, error.reason)
            return nil
        }
    }

    private mutating func method(_ value: JSON, _ path: String) -> HTTPMethod? {
        guard let text = text(value, path) else { return nil }
        if HeaderRules.isToken(text) { return HTTPMethod(text.uppercased()) }
        fault(path, "the method is not a token (RFC 9110 §9.1)")
        return nil
    }

    private mutating func headers(_ value: JSON, _ path: String) -> HTTPHeaders? {
        guard let object = object(value, path) else { return nil }
        var headers = HTTPHeaders()
        for member in object.members {
            let path = "\(path).\(member.key)"
            guard let text = text(member.value, path) else { continue }
            if headers.contains(member.key) { fault(path, "the header stands here twice; names do not differ by case (RFC 9110 §5.1)") }
            do throws(HeaderRules.Fault) {
                _ = try HeaderRules.checked(HTTPHeaders.Field(name: member.key, value: text))
                headers.set(text, for: member.key)
            } catch {
                fault(path, error.reason)
            }
        }
        return headers
    }

    private mutating func wrong(_ value: JSON, at path: String, wanted: String) {
        let isSecret = path.split(separator: ".").contains { Redaction.standard.isSecret(name: String($0)) }
        fault(path, "wanted \(wanted), but it is \(JSON.summary(of: value, hidden: isSecret))")
    }
}
