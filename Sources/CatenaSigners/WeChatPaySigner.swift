public import Catena
public import CatenaPlatform

/// Signs requests for WeChat Pay's API v3, in the header `Authorization`. Created by `.weChatPayV3(…)`.
public struct WeChatPaySigner: RequestSigner, OwnSigner {
    private let merchant: String
    private let serial: String
    private let digest: ParameterSigner.Digest
    private let now: @Sendable () -> Date
    /// Returns 32 letters and digits that are unique.
    var nonce: @Sendable () -> String = { UUID().uuidString.replacing("-", with: "") }

    fileprivate init(_ merchant: String, _ serial: String, _ digest: ParameterSigner.Digest, _ now: @escaping @Sendable () -> Date) {
        self.merchant = merchant
        self.serial = serial
        self.digest = digest
        self.now = now
    }

    public var secrets: Secrets { Secrets(headers: "Authorization") }

    package var keyIdentity: String? { merchant }

    package var secretValues: [String] { digest.secretValues }

    public func sign(_ request: inout HTTPRequest, params: Params) throws {
        try request.checkAuthorizationIsFree()
        // Checked because both values are put between quotes.
        for (name, value) in [("merchant", merchant), ("serial", serial)] where !HeaderRules.isToken(value) {
            throw APIError.invalid("signer", "\(name): it is empty, or has characters that are neither letters nor digits")
        }
        guard request.bodySource == nil, !SignedBody.isMultipart(request) else {
            throw APIError.invalid(
                "signer",
                "WeChat Pay signs the whole body, and of an upload another text: a body of several parts, or one that is read while it is sent, "
                    + "needs a RequestSigner of your own")
        }
        guard let seconds = Int64(exactly: now().timeIntervalSince1970.rounded(.down)) else {
            throw APIError.invalid("signer", "the time has no seconds since 1970")
        }
        let nonce = nonce()
        let target = request.address.path + (request.address.query.map { "?" + $0 } ?? "")
        var message = Data("\(request.method.name)\n\(target)\n\(seconds)\n\(nonce)\n".utf8)
        message += (request.body ?? Data()) + Data("\n".utf8)
        let signature = try digest.apply(to: message).base64
        request.headers["Authorization"] =
            "WECHATPAY2-SHA256-RSA2048 mchid=\"\(merchant)\",nonce_str=\"\(nonce)\",signature=\"\(signature)\",timestamp=\"\(seconds)\","
            + "serial_no=\"\(serial)\""
        try HeaderRules.check(&request.headers, of: "signer")
    }
}

extension WeChatPaySigner: CustomStringConvertible, CustomReflectable {
    /// A description without the key.
    public var description: String { "WeChatPaySigner(\(merchant))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RequestSigner where Self == WeChatPaySigner {
    /// Creates a signer for WeChat Pay's API v3 with the merchant's key (`WECHATPAY2-SHA256-RSA2048`), which needs RSA of the platform.
    ///
    /// ```swift
    /// API.configure(.pay) { $0.signer = .weChatPayV3(merchant: "1900009191", serial: serial, privateKey: pem) }
    /// ```
    ///
    /// A key that cannot be read fails the calls. Use it on servers and in tools only, because users of an app can extract the key from it.
    /// - Parameters:
    ///   - merchant: The merchant's number, `mchid`.
    ///   - serial: The serial number of the merchant's certificate.
    ///   - privateKey: The text of `apiclient_key.pem`: PKCS #8 or PKCS #1.
    ///   - now: Returns the time of the signature, which may be off by a few minutes. Return the backend's time if the clock may be wrong.
    public static func weChatPayV3(
        merchant: String, serial: String, privateKey: String, now: @escaping @Sendable () -> Date = { Date() }
    ) -> Self {
        WeChatPaySigner(merchant, serial, .rsaSHA256(privateKey: privateKey), now)
    }

    /// Creates a signer for WeChat Pay that signs with a closure: RSA with SHA-256 (PKCS #1 v1.5), by a key store or on a platform without OpenSSL.
    public static func weChatPayV3(
        merchant: String, serial: String, now: @escaping @Sendable () -> Date = { Date() },
        signature: @escaping @Sendable (Data) throws -> [UInt8]
    ) -> Self {
        WeChatPaySigner(merchant, serial, .custom(signature), now)
    }
}
