import CatenaPlatform

/// The params and headers that may differ between two requests for the same response.
public struct RequestKeyRules: Sendable, Equatable {
    static let usualParams: Set = ["timestamp", "nonce", "signature"]

    /// The names of query params that change with each request without affecting the response, such as a signature.
    ///
    /// The usual names are those of signers and common closures. A param that a call itself sets under one of them distinguishes the call.
    public var volatileParams = usualParams
    /// The names of headers that change with each request without affecting the response. They are kept in lower case.
    ///
    /// An idempotency key that a call itself sets distinguishes the call, although its name is one of them.
    /// All other headers distinguish requests, even if the server does not list them in `Vary`, because any of them may identify the user.
    public var volatileHeaders: Set<String> = ["date", "idempotency-key", "traceparent", "tracestate", "x-request-id"] {
        didSet { volatileHeaders = Set(volatileHeaders.map { $0.lowercased() }) }
    }

    /// Creates rules with the usual volatile params and headers.
    public init() {}
}

/// Distinguishes requests whose responses differ: by tag, user, method, address, headers and body.
///
/// It consists of digests, so that it can be a file name and reveals nothing about the request.
package struct RequestKey: Hashable, Sendable {
    /// The digest of the address alone, the same for all users.
    package let place: String
    package let digest: String

    init(place: String, digest: String) {
        self.place = place
        self.digest = digest
    }

    /// The key under which a response is cached.
    static func caching(_ request: HTTPRequest, tag: Tag?, identity: String?, rules: RequestKeyRules) -> RequestKey {
        // Ignore `Cache-Control` and `Pragma`, because they are instructions about the cached response.
        RequestKey(request, tag, identity, rules) { !rules.volatileHeaders.contains($0) && $0 != "cache-control" && $0 != "pragma" }
    }

    /// Returns the key under which concurrent calls share a response. Only calls with the same headers share.
    static func sharing(_ request: HTTPRequest, tag: Tag?, identity: String?, rules: RequestKeyRules) -> RequestKey {
        RequestKey(request, tag, identity, rules) { !rules.volatileHeaders.contains($0) }
    }

    private init(
        _ request: HTTPRequest,
        _ tag: Tag?,
        _ identity: String?,
        _ rules: RequestKeyRules,
        countsHeader: (String) -> Bool
    ) {
        var parts = Self.parts(of: request.address, rules)
        place = parts.finish()
        parts.add(tag?.name)
        parts.add(identity)
        parts.add(request.method.name)
        let fields = request.headers.fields.map { (name: $0.name.lowercased(), value: $0.value) }.filter { countsHeader($0.name) }
        // Sort the names, because their order has no meaning. Keep the order of one name's values, because it has.
        for place in fields.indices.sorted(by: { (fields[$0].name, $0) < (fields[$1].name, $1) }) {
            parts.add(fields[place].name)
            parts.add(fields[place].value)
        }
        parts.add(request.body.map { MessageDigest.sha256($0).hex })
        digest = parts.finish()
    }

    /// Returns the digest of an address without its volatile params.
    static func place(_ address: HTTPAddress, _ rules: RequestKeyRules) -> String {
        parts(of: address, rules).finish()
    }

    private static func parts(of address: HTTPAddress, _ rules: RequestKeyRules) -> PartDigest {
        var parts = PartDigest()
        parts.add(address.origin)
        parts.add(address.path)
        let pairs = address.query?.split(separator: "&").filter { pair in
            !rules.volatileParams.contains(PercentDecoding.decode(pair.prefix { $0 != "=" }, plusIsSpace: true))
        }
        // An empty query is the same as none, because servers treat them alike.
        parts.add(pairs.flatMap { $0.isEmpty ? nil : $0.joined(separator: "&") })
        return parts
    }
}

/// A digest of several strings. Each string is prefixed with its length, so that different lists cannot have the same bytes.
private struct PartDigest {
    /// The bytes to digest, collected because each digest has a fixed cost and a cost per block of 64 bytes.
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(256) }

    mutating func add(_ part: String?) {
        guard let part else { return bytes.append(UInt8(ascii: "-")) }
        bytes.append(contentsOf: String(part.utf8.count).utf8)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(contentsOf: part.utf8)
    }

    func finish() -> String { Hexadecimal.text(SHA256.digest(of: bytes)) }
}

/// Distinguishes calls that must not share a response.
struct DedupeKey: Hashable, Sendable {
    /// The settings of a call on which the shared response or failure depends.
    package struct Settings: Hashable, Sendable {
        /// The processing of the response before it is shared. The result type may differ, because each call decodes for itself.
        let needsPayload: Bool
        let unwrap: Unwrap?
        let cachePolicy: CachePolicy
        /// The time limits and retries of the sending call, which apply to all calls that join.
        let timeout: Duration
        let inactivity: InactivityWatch.Limits
        let retry: RetryPolicy
        let hedge: Hedge?
        /// The error types that are decoded before the response is shared.
        let errorTypes: [ObjectIdentifier]
    }

    let request: RequestKey
    /// The number of the client's ``InvalidationLog``, because a call must not join one that began before a change.
    let invalidations: Int
    /// The settings in which the calls must agree, or `nil` if they join whatever their settings are.
    let settings: Settings?
}

/// The result of a call that others have joined.
struct SharedResponse: Sendable {
    /// The calls that may use the result.
    enum Use: Sendable {
        case everybody
        /// Only the sender, and nothing was sent, because an interceptor has answered its request or code has cancelled it.
        case sender
        /// Only the sender, because code has changed its request after the comparison or its response, or has cancelled it after sending.
        case changed
        /// Only the sender, because its time limit has passed. Calls that joined continue.
        case untilTimeout
    }

    let result: Result<HTTPResponse, any Error>
    let sender: UInt64
    let use: Use
    /// The type for which the envelope has judged the response, or `nil` for the raw body.
    let judge: ObjectIdentifier?

    /// Whether the result is a failure of the envelope, which the type of another call may judge as a success.
    func isFailure(onlyFor other: ObjectIdentifier?) -> Bool {
        guard judge != other, case .failure(let error as APIError) = result else { return false }
        return error.kind == .business || error.kind == .decoding
    }
}

/// The relation of the sent requests to the request of the cache key.
enum KeyMatch: Sendable {
    /// Nothing was sent.
    case unsent
    case same
    /// At least one sent request had additions or omissions that the key does not cover.
    case different
}
