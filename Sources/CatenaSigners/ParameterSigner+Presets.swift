public import Catena
public import CatenaPlatform

extension RequestSigner where Self == ParameterSigner {
    /// Creates a signer for WeChat Pay's API v2. It signs with MD5, or with HMAC-SHA256 if the param `sign_type` has that value. The signature is in
    /// upper case and goes to the place of the params.
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
        signer.alternative = (
            .hmacSHA256(key: Data(key.utf8)),
            isChosen: { params in
                switch params["sign_type"]?.parameterNode {
                case nil, .null, .string(""), .string("MD5"): return false
                case .string("HMAC-SHA256"): return true
                default: throw APIError.invalid("signer", "\"sign_type\": it is neither MD5 nor HMAC-SHA256")
                }
            }
        )
        return signer
    }

    /// Creates a signer for Alipay's open API (`RSA2`), which needs RSA of the platform. The signature goes to the place of the params.
    ///
    /// ```swift
    /// API.configure(.alipay) { $0.signer = .alipay(privateKey: pem) }
    /// ```
    ///
    /// A key that cannot be read fails the calls. Use it on servers and in tools only, because users of an app can extract the key from it.
    /// - Parameter privateKey: The app's private key in PKCS #8 or PKCS #1: PEM, or its base 64 alone as Alipay's tool writes it.
    public static func alipay(privateKey: String) -> Self { .alipay(.rsaSHA256(privateKey: privateKey)) }

    /// Creates a signer for Alipay that signs with a closure: RSA with SHA-256 (PKCS #1 v1.5), by a key store or on a platform without OpenSSL.
    public static func alipay(signature: @escaping @Sendable (Data) throws -> [UInt8]) -> Self { .alipay(.custom(signature)) }

    private static func alipay(_ digest: ParameterSigner.Digest) -> Self {
        var signer = ParameterSigner(digest, placement: .params("sign"))
        signer.format = .base64
        signer.dropsEmpty = true
        return signer
    }
}
