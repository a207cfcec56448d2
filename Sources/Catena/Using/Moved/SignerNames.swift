// The names of the product CatenaSigners, for apps that do not import it. For apps that do, the compiler prefers those of the product.

public import CatenaPlatform

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
