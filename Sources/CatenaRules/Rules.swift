public import Catena
public import CatenaPlatform

/// The rules of a client, and the meaning of the names in them.
///
/// ```swift
/// API.rules.register(Topic.self)
/// try API.rules.load(file: Bundle.main.url(forResource: "Rules", withExtension: "json")!)
/// API.request(named: "TopicList").params(["page": 1]).execute(as: [Topic].self)
/// ```
///
/// Loading replaces all rules atomically, or none if there is a fault. A call in progress keeps the rules that it began with.
public struct Rules: Sendable {
    /// The client, or `nil` for the shared client at the time of use.
    let owner: Client?

    var client: Client { (owner ?? .shared).active }

    private var settings: RuleSettings { client.snapshot.settings.rules }

    // MARK: Contents

    /// The names of the rules, sorted.
    public var names: [String] { settings.set.names }

    /// Returns a rule, with values from `DEFAULT` where it sets none.
    public subscript(name: String) -> Rule? { settings.set[name] }

    /// Replaces all current rules.
    public func load(_ rules: RuleSet) {
        client.install { settings in
            settings.rules.set = rules
            settings.rules.origins.formUnion(rules.origins)
        }
    }

    /// Replaces all current rules with a server's rules, without adding their origins to those of the app.
    func install(_ rules: RuleSet) { client.install { $0.rules.set = rules } }

    /// Reads rules from JSON or a property list, and replaces all current rules.
    ///
    /// - Throws: All faults. The current rules then stay.
    public func load(_ data: Data) throws(RuleFaults) {
        load(try RuleSet(parsing: data, registry: settings.registry))
    }

    /// Reads rules from a dictionary with the keys of a rule file, and replaces all current rules. See ``RuleSet/init(dictionary:registry:)``.
    ///
    /// ```swift
    /// try API.rules.load(dictionary: ["TopicList": ["Path": "topics"]])
    /// ```
    ///
    /// - Throws: All faults. The current rules then stay.
    public func load(dictionary: [String: Any]) throws(RuleFaults) {
        load(try RuleSet(dictionary: dictionary, registry: settings.registry))
    }

    // MARK: Registered names

    /// The meaning of the names in rules. A change also applies to rules that are loaded later.
    public var registry: RuleRegistry {
        get { settings.registry }
        nonmutating set { client.install { $0.rules.registry = newValue } }
    }

    /// Registers the type as which responses are decoded if a rule names this class. The default name is that of the type.
    public func register<Model: Decodable & Sendable>(_ type: Model.Type, as name: String? = nil) {
        client.install { $0.rules.registry.register(type, as: name) }
    }

    /// Registers a closure that makes responses into models if a rule names this class, for models that are not `Decodable`.
    ///
    /// ```swift
    /// API.rules.register(responseClass: "TopicModel") { json in TopicModel(id: json.id.int ?? 0) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the class in rules.
    ///   - make: Makes a model from an object. An error that it throws fails the call.
    public func register<Model: Sendable>(responseClass name: String, _ make: @escaping @Sendable (JSON) throws -> Model) {
        client.install { $0.rules.registry.register(responseClass: name, make) }
    }

    /// Registers the encoding of params for rules that name this serializer.
    public func register(serializer name: String, _ encoding: ParameterEncoding) {
        client.install { $0.rules.registry.register(serializer: name, encoding) }
    }

    /// Registers the form of responses for rules that name this serializer.
    public func register(responseSerializer name: String, _ format: RuleRegistry.ResponseFormat) {
        client.install { $0.rules.registry.register(responseSerializer: name, format) }
    }

    /// Starts a call that a rule outside any file describes.
    public func request(_ rule: Rule) -> Request { Request(client: owner).by(.rule(rule)) }

    // MARK: Authorization

    /// Headers for calls whose rule has `Authorization`. They override the rule's headers, not the call's. They are sent to no other origin.
    public var authorizationHeaders: HTTPHeaders {
        get { settings.authorizationHeaders }
        nonmutating set { client.install { $0.rules.authorizationHeaders = newValue } }
    }

    /// Params for calls whose rule has `Authorization`. They override the rule's params, not the call's. They are sent to no other origin.
    public var authorizationParams: Params {
        get { settings.authorizationParams }
        nonmutating set { client.install { $0.rules.authorizationParams = newValue } }
    }
}

extension API {
    /// The rules for requests by name. See ``Rules``.
    public static var rules: Rules { Rules(owner: nil) }

    /// Starts a call that a rule describes. Later steps override the rule. If there is no such rule, the call fails when it is executed.
    public static func request(named name: String) -> Request { Request(client: nil).by(.named(name)) }
}

extension Client {
    /// The rules for requests by name. See ``Rules``.
    public var rules: Rules { Rules(owner: self) }

    /// Starts a call that a rule describes. Later steps override the rule. If there is no such rule, the call fails when it is executed.
    public func request(named name: String) -> Request { request.by(.named(name)) }
}

extension Request {
    fileprivate consuming func by(_ rule: RuleReference) -> Request {
        self.rule = rule
        return self
    }
}
