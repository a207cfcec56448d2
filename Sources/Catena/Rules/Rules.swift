public import Foundation

/// The rules of a client: which there are, and what the names in them stand for.
///
/// ```swift
/// API.rules.register(Topic.self)
/// try API.rules.load(file: Bundle.main.url(forResource: "Rules", withExtension: "json")!)
/// API.request(named: "TopicList").params(["page": 1]).execute(as: [Topic].self)
/// ```
///
/// Loading replaces all rules in one step, or none if anything is wrong. A call that has begun keeps the rules that it began with.
public struct Rules: Sendable {
    /// The client; `nil` is the one of the moment.
    let owner: Client?

    var client: Client { (owner ?? .shared).active }

    private var settings: RuleSettings { client.snapshot.settings.rules }

    // MARK: Which there are

    /// The names of the rules, sorted.
    public var names: [String] { settings.set.names }

    /// A rule with what it takes from `DEFAULT`.
    public subscript(name: String) -> Rule? { settings.set[name] }

    /// Puts rules in place of those that there are.
    public func load(_ rules: RuleSet) {
        client.install { settings in
            settings.rules.set = rules
            settings.rules.origins.formUnion(rules.origins)
        }
    }

    /// Puts rules from elsewhere in place of those that there are; their origins are not the app's own by that.
    func install(_ rules: RuleSet) { client.install { $0.rules.set = rules } }

    /// Reads rules from JSON or a property list, and puts them in place of those that there are.
    ///
    /// - Throws: Everything that is wrong; then nothing has changed.
    public func load(_ data: Data) throws(RuleFaults) {
        load(try RuleSet(parsing: data, registry: settings.registry))
    }

    // MARK: What the names stand for

    /// What names in rules stand for. It counts for what is loaded afterwards, too.
    public var registry: RuleRegistry {
        get { settings.registry }
        nonmutating set { client.install { $0.rules.registry = newValue } }
    }

    /// Says as which type a response is decoded where a rule names this class; without a name, that of the type.
    public func register<Model: Decodable & Sendable>(_ type: Model.Type, as name: String? = nil) {
        client.install { $0.rules.registry.register(type, as: name) }
    }

    /// Says what a response is made into where a rule names this class: for models that are not `Decodable`.
    ///
    /// ```swift
    /// API.rules.register(responseClass: "TopicModel") { json in TopicModel(id: json.id.int ?? 0) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the class in rules.
    ///   - make: Makes a model of an object. What it throws fails the call.
    public func register<Model: Sendable>(responseClass name: String, _ make: @escaping @Sendable (JSON) throws -> Model) {
        client.install { $0.rules.registry.register(responseClass: name, make) }
    }

    /// Says how the params are encoded where a rule names this serializer.
    public func register(serializer name: String, _ encoding: ParameterEncoding) {
        client.install { $0.rules.registry.register(serializer: name, encoding) }
    }

    /// Says in which form a response is given where a rule names this serializer.
    public func register(responseSerializer name: String, _ format: RuleRegistry.ResponseFormat) {
        client.install { $0.rules.registry.register(responseSerializer: name, format) }
    }

    /// Starts a call that a rule describes which is in no file.
    public func request(_ rule: Rule) -> Request { Request(client: owner).by(.rule(rule)) }

    // MARK: Authorization

    /// Headers of the calls whose rule has `Authorization`; over the rule's own, under the call's. They go to no other origin.
    public var authorizationHeaders: HTTPHeaders {
        get { settings.authorizationHeaders }
        nonmutating set { client.install { $0.rules.authorizationHeaders = newValue } }
    }

    /// Params of the calls whose rule has `Authorization`; over the rule's own, under the call's. They go to no other origin.
    public var authorizationParams: Params {
        get { settings.authorizationParams }
        nonmutating set { client.install { $0.rules.authorizationParams = newValue } }
    }
}

extension API {
    /// The rules by which requests can be made by name. See ``Rules``.
    public static var rules: Rules { Rules(owner: nil) }

    /// Starts a call that a rule describes. The steps that follow win over the rule; without such a rule, the call fails when it is
    /// executed.
    public static func request(named name: String) -> Request { Request(client: nil).by(.named(name)) }
}

extension Client {
    /// The rules by which requests can be made by name. See ``Rules``.
    public var rules: Rules { Rules(owner: self) }

    /// Starts a call that a rule describes. The steps that follow win over the rule; without such a rule, the call fails when it is
    /// executed.
    public func request(named name: String) -> Request { request.by(.named(name)) }
}

extension Request {
    fileprivate consuming func by(_ rule: RuleReference) -> Request {
        self.rule = rule
        return self
    }
}
