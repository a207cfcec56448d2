// The names of the product CatenaRules, for apps that do not import it. For apps that do, the compiler prefers those of the product.

public import CatenaPlatform

/// Description of a request by name, in the product CatenaRules.
@available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
public struct Rule: Sendable {
    /// Creates nothing, because the product CatenaRules has the type.
    public init(_ name: String) {}
}

/// Rules of a client, in the product CatenaRules.
@available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
public struct Rules: Sendable {
    // The members exist so that the compiler reports the product, and not a missing member.
    /// Parses rules, in the product CatenaRules.
    public func load(_ rules: RuleSet) {}

    /// Parses rules, in the product CatenaRules.
    public func load(_ data: Data) throws {}

    /// Parses rules, in the product CatenaRules.
    public func load(file: URL) throws {}

    /// Parses rules, in the product CatenaRules.
    public func load(dictionary: [String: Any]) throws {}

    /// Loads rules, in the product CatenaRules.
    @discardableResult public func load(from request: Request, keepingCopyIn file: URL? = nil, allowing origins: [String] = []) async throws
        -> RuleOrigin
    { RuleOrigin() }

    /// Registers a model, in the product CatenaRules.
    public func register<Model: Decodable & Sendable>(_ type: Model.Type, as name: String? = nil) {}

    /// Registers a model, in the product CatenaRules.
    public func register<Model: Sendable>(responseClass name: String, _ make: @escaping @Sendable (JSON) throws -> Model) {}

    /// Registers a serializer, in the product CatenaRules.
    public func register(serializer name: String, _ encoding: ParameterEncoding) {}

    /// Creates a request, in the product CatenaRules.
    public func request(_ rule: Rule) -> Request { Request(client: nil) }

    /// Headers of calls that need a sign-in, in the product CatenaRules.
    public var authorizationHeaders: HTTPHeaders {
        get { [:] }
        nonmutating set {}
    }

    /// Params of calls that need a sign-in, in the product CatenaRules.
    public var authorizationParams: Params {
        get { [:] }
        nonmutating set {}
    }
}

/// Rules by name, in the product CatenaRules.
@available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
public struct RuleSet: Sendable {
    /// Creates nothing, because the product CatenaRules has the type.
    public init() {}

    /// Creates nothing, because the product CatenaRules has the type.
    public init(_ rules: [Rule]) {}

    /// Creates nothing, because the product CatenaRules has the type.
    public init(parsing data: Data) {}

    /// Creates nothing, because the product CatenaRules has the type.
    public init(dictionary: [String: Any]) {}
}

/// Meaning of the names in rules, in the product CatenaRules.
@available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
public struct RuleRegistry: Sendable {
    /// Creates nothing, because the product CatenaRules has the type.
    public init(checksClasses: Bool = true) {}
}

/// Call of a rule, in the product CatenaRules.
@available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
public struct RuleContext: Sendable {
    /// Params of the call, in the product CatenaRules.
    public var params: Params = [:]
    /// Headers of the call, in the product CatenaRules.
    public var headers: HTTPHeaders = [:]
    /// Own values of the call, in the product CatenaRules.
    public var userInfo: [String: any Sendable] = [:]
    /// Receives the value, in the product CatenaRules.
    public var success: (@MainActor @Sendable (RuleTask, RuleValue) -> Void)?
    /// Receives the error, in the product CatenaRules.
    public var failure: (@MainActor @Sendable (RuleTask, APIError) -> Void)?
    /// Receives the end, in the product CatenaRules.
    public var finished: (@MainActor @Sendable (RuleTask, Bool) -> Void)?
    /// Receives the value or the error, in the product CatenaRules.
    public var completion: (@MainActor @Sendable (RuleTask, RuleValue?, APIError?) -> Void)?
}

/// Active call of a rule, in the product CatenaRules.
@available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
public struct RuleTask: Sendable {
    /// Cancels nothing, because the product CatenaRules has the type.
    public func cancel() {}

    /// Result of the call, in the product CatenaRules.
    public var result: Result<RuleValue, any Error> { get async { .failure(CancellationError()) } }
}

/// Value of a call of a rule, in the product CatenaRules.
@available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
public struct RuleValue: Sendable {
    /// Value of the call, in the product CatenaRules.
    public func `as`<Value>(_ type: Value.Type) -> Value? { nil }
}

/// Source of a server's rules, in the product CatenaRules.
@available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
public struct RuleOrigin: Sendable {}

/// Check of a rule file, in the product CatenaRules.
@available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
public struct RuleLint: Sendable {}

/// Fault of a rule file, in the product CatenaRules.
@available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
public struct RuleFault: Sendable {}

/// Faults of a rule file, in the product CatenaRules.
@available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
public struct RuleFaults: Sendable {}

extension API {
    /// The rules, in the product CatenaRules.
    @available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
    public static var rules: Rules { Rules() }

    /// Starts a call that a rule describes, in the product CatenaRules.
    @available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
    public static func request(named name: String) -> Request { Request(client: nil) }

    /// Sends a call that a rule describes, in the product CatenaRules.
    @available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
    @discardableResult public static func request(named name: String, _ fill: (inout RuleContext) -> Void) -> RuleTask { RuleTask() }
}

extension CallOptions {
    /// Simulated delay of a call, in the product CatenaRules.
    @available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
    public var debugDelay: Duration? {
        get { nil }
        set {}
    }

    /// Simulated failure of a call, in the product CatenaRules.
    @available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
    public var debugFail: ErrorCode? {
        get { nil }
        set {}
    }
}

extension RequestSteps {
    /// Has moved to `CallOptions.debugDelay` of the product CatenaRules.
    @available(*, unavailable, message: "write `set(\\.debugDelay, .seconds(2))`, and `import CatenaRules`")
    public consuming func debugDelay(_ delay: Duration) -> Self { self }

    /// Has moved to `CallOptions.debugFail` of the product CatenaRules.
    @available(*, unavailable, message: "write `set(\\.debugFail, 500)`, and `import CatenaRules`")
    public consuming func debugFail(_ code: ErrorCode) -> Self { self }
}
