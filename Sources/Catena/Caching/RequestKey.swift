import Foundation

/// What may differ between two requests for the same thing, and what may not.
public struct RequestKeyRules: Sendable, Equatable {
    /// Names of query params that differ each time without a meaning, such as a signature.
    public var volatileParams: Set<String> = ["timestamp", "nonce", "signature"]
    /// Names of headers, in lower case, that differ each time without a meaning. All others tell requests apart, whether or not the
    /// server says so with `Vary`: any of them may say who is asking.
    public var volatileHeaders: Set<String> = ["date", "idempotency-key", "traceparent", "tracestate", "x-request-id"]

    /// Makes the rules with the usual volatile params and headers.
    public init() {}
}

/// Tells requests apart whose responses must not be taken for each other: by tag, user, method, address and headers.
///
/// Nothing that it is made of can be read from it, so that it can be the name of a file.
struct RequestKey: Hashable, Sendable {
    /// Stands for the address alone, for whoever the response is.
    let place: String
    let digest: String

    init(place: String, digest: String) {
        self.place = place
        self.digest = digest
    }

    /// The key under which a response is cached.
    static func caching(_ request: HTTPRequest, tag: Tag?, identity: String?, rules: RequestKeyRules) -> RequestKey {
        // What a request says to caches is said about the response that is there.
        RequestKey(request, tag, identity, rules) { !rules.volatileHeaders.contains($0) && $0 != "cache-control" && $0 != "pragma" }
    }

    /// The key under which a call is shared while it is under way: only calls whose headers are the same get the same response.
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
        // Names can come in any order; the values of one name cannot, so that their places count.
        for place in fields.indices.sorted(by: { (fields[$0].name, $0) < (fields[$1].name, $1) }) {
            parts.add(fields[place].name)
            parts.add(fields[place].value)
        }
        parts.add(request.body.map { MessageDigest.sha256($0).hex })
        digest = parts.finish()
    }

    /// What stands for an address, its volatile params aside.
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
        // No query and an empty one are the same to every server that could be asked.
        parts.add(pairs.flatMap { $0.isEmpty ? nil : $0.joined(separator: "&") })
        return parts
    }
}

/// A digest of several texts, none of which can pass for a part of another.
private struct PartDigest {
    /// Digested as a whole, since a digest costs by the call and by the block of 64 bytes.
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

/// Tells calls apart that must not share one response.
struct DedupeKey: Hashable, Sendable {
    let request: RequestKey
    /// What becomes of the response before it is shared; a type need not be the same, for it is decoded afterwards.
    let needsPayload: Bool
    let unwrap: Unwrap?
    let cachePolicy: CachePolicy
    /// How long the one who sends waits and how often it tries, for all who join.
    let timeout: Duration
    let silence: InactivityWatch.Limits
    let retry: RetryPolicy
    let hedge: Hedge?
    /// The types whose errors are looked for before the response is shared.
    let errorTypes: [ObjectIdentifier]
}

/// What came of a call that others have joined.
struct SharedResponse: Sendable {
    /// Whose it is.
    enum Use: Sendable {
        case everybody
        /// It does not answer what the calls have in common: something on the way has put in what may be about this one call, or has
        /// answered it.
        case sender
        /// It says that the sender has run out of time, not the ones who joined.
        case untilTimeout
    }

    let result: Result<HTTPResponse, any Error>
    let sender: UInt64
    let use: Use
}

/// How what a call has sent is to the request that its key is made of.
enum KeyLikeness: Sendable {
    /// Nothing was sent.
    case unsent
    case same
    /// Something that the key does not know of was put in, or left out, at least once.
    case different
}
