public import Foundation

extension RequestSigner where Self == ParameterSigner {
    /// Signs for WeChat Pay's API v2: in upper case, where the params go, by MD5, or by HMAC-SHA256 if the params have `sign_type` with that value.
    ///
    /// ```swift
    /// API.configure(.pay) { pay in
    ///     pay.encoding = .custom(XMLParameterEncoder())
    ///     pay.signer = .weChatPayV2(key: key)
    /// }
    /// ```
    ///
    /// - Parameter key: The merchant's key for API v2.
    public static func weChatPayV2(key: String) -> Self {
        var signer = ParameterSigner(.md5, secret: .suffix("&key=\(key)"), placement: .params("sign"))
        signer.format = .upperHex
        signer.dropsEmpty = true
        signer.digestOfParams = { params in
            switch params["sign_type"]?.parameterNode {
            case nil, .null, .string(""), .string("MD5"): return .md5
            case .string("HMAC-SHA256"): return .hmacSHA256(key: Data(key.utf8))
            default: throw APIError.invalid("signer", "\"sign_type\": it is neither MD5 nor HMAC-SHA256")
            }
        }
        return signer
    }

    /// Signs for Alipay's open API (`RSA2`), where the params go, which needs RSA of the platform.
    ///
    /// ```swift
    /// API.configure(.alipay) { $0.signer = .alipay(privateKey: pem) }
    /// ```
    ///
    /// A key that cannot be read fails the calls. It is for servers and tools: what an app has with it, its users have too.
    /// - Parameter privateKey: The app's private key in PKCS #8 or PKCS #1: PEM, or its base 64 alone as Alipay's tool writes it.
    public static func alipay(privateKey: String) -> Self { .alipay(.rsaSHA256(privateKey: privateKey)) }

    /// The same with a signature of your own making: RSA with SHA-256 (PKCS #1 v1.5), by a key store or a platform without OpenSSL.
    public static func alipay(signature: @escaping @Sendable (Data) throws -> [UInt8]) -> Self { .alipay(.custom(signature)) }

    private static func alipay(_ digest: ParameterSigner.Digest) -> Self {
        var signer = ParameterSigner(digest, placement: .params("sign"))
        signer.format = .base64
        signer.dropsEmpty = true
        return signer
    }
}
