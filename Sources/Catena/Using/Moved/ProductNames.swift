// The names of the products, for apps that do not import them. For apps that do, the compiler prefers those of the product.

public import CatenaPlatform

// MARK: CatenaArchive

/// Recorder of calls, in the product CatenaArchive.
@available(*, unavailable, message: "Add the product CatenaArchive to the target, and `import CatenaArchive`.")
public final class HARRecorder: Sendable {
    /// Creates nothing, because the product CatenaArchive has the recorder.
    @_alwaysEmitIntoClient
    public init(limit: Int = 1000) {}
}

extension API {
    /// Records calls, in the product CatenaArchive.
    @available(*, unavailable, message: "Add the product CatenaArchive to the target, and `import CatenaArchive`.")
    @_alwaysEmitIntoClient
    @discardableResult public static func record(into recorder: HARRecorder) -> Registration { Registration {} }
}

// MARK: CatenaFleet

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

// MARK: CatenaSigners

extension RequestSigner where Self == ParameterSigner {
    /// Signer of WeChat Pay v2, in the product CatenaSigners.
    @available(*, unavailable, message: "Add the product CatenaSigners to the target, and `import CatenaSigners`.")
    @_alwaysEmitIntoClient
    public static func weChatPayV2(key: String) -> Self { ParameterSigner(.md5) }

    /// Signer of Alipay, in the product CatenaSigners.
    @available(*, unavailable, message: "Add the product CatenaSigners to the target, and `import CatenaSigners`.")
    @_alwaysEmitIntoClient
    public static func alipay(privateKey: String) -> Self { ParameterSigner(.md5) }

    /// Signer of Alipay, in the product CatenaSigners.
    @available(*, unavailable, message: "Add the product CatenaSigners to the target, and `import CatenaSigners`.")
    @_alwaysEmitIntoClient
    public static func alipay(signature: @escaping @Sendable (Data) throws -> [UInt8]) -> Self { ParameterSigner(.md5) }

    /// Signer of WeChat Pay v3, in the product CatenaSigners.
    @available(*, unavailable, message: "Add the product CatenaSigners to the target, and `import CatenaSigners`.")
    @_alwaysEmitIntoClient
    public static func weChatPayV3(
        merchant: String, serial: String, privateKey: String, now: @escaping @Sendable () -> Date = { Date() }
    ) -> Self { ParameterSigner(.md5) }

    /// Signer of WeChat Pay v3, in the product CatenaSigners.
    @available(*, unavailable, message: "Add the product CatenaSigners to the target, and `import CatenaSigners`.")
    @_alwaysEmitIntoClient
    public static func weChatPayV3(
        merchant: String, serial: String, now: @escaping @Sendable () -> Date = { Date() },
        signature: @escaping @Sendable (Data) throws -> [UInt8]
    ) -> Self { ParameterSigner(.md5) }

    /// Signer of AWS, in the product CatenaSigners.
    @available(*, unavailable, message: "Add the product CatenaSigners to the target, and `import CatenaSigners`.")
    @_alwaysEmitIntoClient
    public static func awsSignatureV4(
        accessKey: String, secretKey: String, sessionToken: String? = nil, region: String, service: String,
        now: @escaping @Sendable () -> Date = { Date() }
    ) -> Self { ParameterSigner(.md5) }
}

extension ParameterSigner.Digest {
    /// RSA with SHA-256, in the product CatenaSigners.
    @available(*, unavailable, message: "Add the product CatenaSigners to the target, and `import CatenaSigners`.")
    @_alwaysEmitIntoClient
    public static func rsaSHA256(privateKey: String) -> Self { .md5 }
}

/// Signer of AWS, in the product CatenaSigners.
@available(*, unavailable, message: "Add the product CatenaSigners to the target, and `import CatenaSigners`.")
public struct AWSSigner {}

/// Signer of WeChat Pay v3, in the product CatenaSigners.
@available(*, unavailable, message: "Add the product CatenaSigners to the target, and `import CatenaSigners`.")
public struct WeChatPaySigner {}
