// The names of the product CatenaRules, for apps that do not import it. For apps that do, the compiler prefers those of the product.

public import Foundation

/// Description of a request by name, in the product CatenaRules.
@available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
public struct Rule: Sendable {
    /// Creates nothing, because the product CatenaRules has the type.
    public init(_ name: String) {}
}

/// Rules of a client, in the product CatenaRules.
@available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
public struct Rules: Sendable {}

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
public struct RuleContext: Sendable {}

/// Active call of a rule, in the product CatenaRules.
@available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
public struct RuleTask: Sendable {}

/// Value of a call of a rule, in the product CatenaRules.
@available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
public struct RuleValue: Sendable {}

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
    public static func request(named name: String, _ fill: (inout RuleContext) -> Void) {}
}

extension Client {
    /// The rules, in the product CatenaRules.
    @available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
    public var rules: Rules { Rules() }

    /// Starts a call that a rule describes, in the product CatenaRules.
    @available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
    public func request(named name: String) -> Request { Request(client: nil) }

    /// Sends a call that a rule describes, in the product CatenaRules.
    @available(*, unavailable, message: "Add the product CatenaRules to the target, and `import CatenaRules`.")
    public func request(named name: String, _ fill: (inout RuleContext) -> Void) {}
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
