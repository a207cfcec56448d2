public import Catena
public import CatenaPlatform

/// Signs requests by AWS Signature Version 4, in the header `Authorization`. Created by `.awsSignatureV4(…)`.
public struct AWSSigner: RequestSigner, OwnSigner {
    private let accessKey: String
    private let secretKey: String
    private let sessionToken: String?
    private let region: String
    private let service: String
    private let now: @Sendable () -> Date

    fileprivate init(
        accessKey: String, secretKey: String, sessionToken: String?, region: String, service: String, now: @escaping @Sendable () -> Date
    ) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
        self.region = region
        self.service = service
        self.now = now
    }

    public var secrets: Secrets { Secrets(headers: "Authorization", "X-Amz-Security-Token") }

    /// The access key, because different keys may see different responses.
    package var keyIdentity: String? { accessKey }

    package var secretValues: [String] { [secretKey] + [sessionToken].compactMap { $0 } }

    public func sign(_ request: inout HTTPRequest, params: Params) throws {
        try request.checkAuthorizationIsFree()
        let parts = [("accessKey", accessKey), ("secretKey", secretKey), ("region", region), ("service", service)]
        for (name, value) in parts where value.isEmpty {
            throw APIError.invalid("signer", "\(name): it is empty")
        }
        guard let time = now().iso8601Text?.filter({ $0 != "-" && $0 != ":" }) else {
            throw APIError.invalid("signer", "the time is outside the years 0001 to 9999")
        }
        let payload = Self.payload(of: request)
        request.headers["X-Amz-Date"] = time
        if let sessionToken { request.headers["X-Amz-Security-Token"] = sessionToken }
        if isStorage || payload == Self.unsigned { request.headers["X-Amz-Content-SHA256"] = payload }
        // Checked before the headers are signed, because the check trims their values.
        try HeaderRules.check(&request.headers, of: "signer")

        let canonical = CanonicalRequest(request, payload: payload, isPathEncodedOnce: isStorage)
        let scope = [String(time.prefix(8)), region, service, "aws4_request"]
        let digest = MessageDigest.sha256(canonical.text).hex
        let text = ["AWS4-HMAC-SHA256", time, scope.joined(separator: "/"), digest].joined(separator: "\n")
        let key = scope.reduce(Data("AWS4\(secretKey)".utf8)) { key, part in
            Data(MessageDigest.hmacSHA256(Data(part.utf8), key: key).bytes)
        }
        let signature = MessageDigest.hmacSHA256(Data(text.utf8), key: key).hex
        request.headers["Authorization"] =
            "AWS4-HMAC-SHA256 Credential=\(accessKey)/\(scope.joined(separator: "/")), SignedHeaders=\(canonical.signedHeaders), "
            + "Signature=\(signature)"
        try HeaderRules.check(&request.headers, of: "signer")
    }

    /// Whether the service is S3 or a related one (`s3-outposts`, `s3-object-lambda`), which encode paths differently.
    private var isStorage: Bool { service == "s3" || service.hasPrefix("s3-") || service == "s3express" }

    private static let unsigned = "UNSIGNED-PAYLOAD"

    private static func payload(of request: HTTPRequest) -> String {
        if let known = request.headers["X-Amz-Content-SHA256"] { return known }
        return request.bodySource == nil ? MessageDigest.sha256(request.body ?? Data()).hex : unsigned
    }
}

extension AWSSigner: CustomStringConvertible, CustomReflectable {
    /// A description without the keys.
    public var description: String { "AWSSigner(\(region), \(service))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RequestSigner where Self == AWSSigner {
    /// Creates a signer by AWS Signature Version 4, for AWS and compatible services.
    ///
    /// ```swift
    /// API.configure(.files) { files in
    ///     files.host = "https://bucket.s3.eu-central-1.amazonaws.com"
    ///     files.signer = .awsSignatureV4(accessKey: id, secretKey: secret, region: "eu-central-1", service: "s3")
    /// }
    /// ```
    ///
    /// A body that is read while it is sent is signed as `UNSIGNED-PAYLOAD`, which S3 accepts, unless the call sets its digest in
    /// `X-Amz-Content-SHA256`.
    /// - Parameters:
    ///   - accessKey: The id of the key, which is sent.
    ///   - secretKey: The secret key, which is not sent.
    ///   - sessionToken: The session token of temporary keys.
    ///   - region: The region, such as `eu-central-1`.
    ///   - service: The service, such as `s3` or `execute-api`.
    ///   - now: Returns the time of the signature, which may be off by a few minutes. Return the backend's time if the clock may be wrong.
    public static func awsSignatureV4(
        accessKey: String, secretKey: String, sessionToken: String? = nil, region: String, service: String,
        now: @escaping @Sendable () -> Date = { Date() }
    ) -> Self {
        AWSSigner(accessKey: accessKey, secretKey: secretKey, sessionToken: sessionToken, region: region, service: service, now: now)
    }
}
