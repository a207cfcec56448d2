// The names of the product CatenaFleet, for apps that do not import it. For apps that do, the compiler prefers those of the product.

/// Store that several machines share, in the product CatenaFleet.
@available(*, unavailable, message: "Add the product CatenaFleet to the target, and `import CatenaFleet`.")
public protocol SharedStore: AnyObject, Sendable {}

/// Result of reading from a store, in the product CatenaFleet.
@available(*, unavailable, message: "Add the product CatenaFleet to the target, and `import CatenaFleet`.")
public struct SharedReading: Sendable {}

/// Credential that machines share, in the product CatenaFleet.
@available(*, unavailable, message: "Add the product CatenaFleet to the target, and `import CatenaFleet`.")
public struct SharedCredential: Sendable {
    /// Creates nothing, because the product CatenaFleet has the credential.
    @_alwaysEmitIntoClient
    public init(_ name: String, in store: any SharedStore, lease: Duration = .seconds(10)) {}
}

extension Authentication {
    /// Creates a shared sign-in, in the product CatenaFleet.
    @available(*, unavailable, message: "Add the product CatenaFleet to the target, and `import CatenaFleet`.")
    @_alwaysEmitIntoClient
    public convenience init(
        _ scheme: Scheme, shared: SharedCredential, window: RefreshWindow? = .standard, refreshTimeout: Duration = .seconds(30)
    ) { self.init(scheme) }

    /// Takes over the credential of the other machines, in the product CatenaFleet.
    @available(*, unavailable, message: "Add the product CatenaFleet to the target, and `import CatenaFleet`.")
    @_alwaysEmitIntoClient
    public func load() async throws -> Scheme.Credential? { nil }
}

extension Profile {
    /// Store in which machines share their limits, in the product CatenaFleet.
    @available(*, unavailable, message: "Add the product CatenaFleet to the target, and `import CatenaFleet`.")
    @_alwaysEmitIntoClient
    public var sharedLimits: (any SharedStore)? {
        get { nil }
        set {}
    }
}

extension ResponseCache {
    /// Creates a cache that machines share, in the product CatenaFleet.
    @available(*, unavailable, message: "Add the product CatenaFleet to the target, and `import CatenaFleet`.")
    @_alwaysEmitIntoClient
    public static func shared(
        _ store: any SharedStore, limit: Int = 0, lifetime: Duration = .seconds(1), localLimit: Int = 0
    ) -> ResponseCache { .memory(limit: 0) }
}
