import Foundation

/// What may differ between two requests for the same thing, and what may not.
public struct RequestKeyRules: Sendable, Equatable {
    /// Names of query params that differ each time without a meaning, such as a signature.
    public var volatileParams: Set<String> = ["timestamp", "nonce", "signature"]
    /// Names of headers, in lower case, that differ each time without a meaning. All others tell requests apart, whether or not the
    /// server says so with `Vary`: any of them may say who is asking.
    public var volatileHeaders: Set<String> = ["date", "idempotency-key", "traceparent", "tracestate", "x-request-id"]

    public init() {}
}

/// Tells requests apart whose answers must not be taken for each other: by tag, user, method, address and headers.
///
/// Nothing that it is made of can be read from it, so that it can be the name of a file.
struct RequestKey: Hashable, Sendable {
    /// Stands for the address alone, for whoever the answer is.
    let place: String
    let digest: String

    init(place: String, digest: String) {
        self.place = place
        self.digest = digest
    }

    /// The key under which an answer is cached.
    static func caching(_ request: HTTPRequest, tag: Tag?, identity: String?, rules: RequestKeyRules) -> RequestKey {
        // What a request says to caches is said about the answer that is there.
        RequestKey(request, tag, identity, rules) { !rules.volatileHeaders.contains($0) && $0 != "cache-control" && $0 != "pragma" }
    }

    /// The key under which a call is shared while it is under way: only calls whose headers are the same get the same answer.
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
        place = Self.place(request.address, rules)
        var parts = PartDigest()
        parts.add(place)
        parts.add(tag?.name)
        parts.add(identity)
        parts.add(request.method.name)
        let fields = request.headers.fields.map { ($0.name.lowercased(), $0.value) }.filter { countsHeader($0.0) }
        // Names can come in any order; the values of one name cannot, and a stable sort keeps theirs.
        for (name, value) in fields.enumerated().sorted(by: { ($0.1.0, $0.0) < ($1.1.0, $1.0) }).map(\.element) {
            parts.add(name)
            parts.add(value)
        }
        parts.add(request.body.map { MessageDigest.sha256($0).hex })
        digest = parts.finish()
    }

    /// What stands for an address, its volatile params aside.
    static func place(_ address: HTTPAddress, _ rules: RequestKeyRules) -> String {
        var parts = PartDigest()
        parts.add(address.origin)
        parts.add(address.path)
        let pairs = address.query?.split(separator: "&").filter { pair in
            !rules.volatileParams.contains(PercentDecoding.decode(pair.prefix { $0 != "=" }, plusIsSpace: true))
        }
        // No query and an empty one are the same to every server that could be asked.
        parts.add(pairs.flatMap { $0.isEmpty ? nil : $0.joined(separator: "&") })
        return parts.finish()
    }
}

/// A digest of several texts, none of which can pass for a part of another.
private struct PartDigest {
    private var digest = SHA256()

    mutating func add(_ part: String?) {
        Array((part.map { "\($0.utf8.count):\($0)" } ?? "-").utf8).withUnsafeBytes { digest.update($0) }
    }

    consuming func finish() -> String { Hexadecimal.text(digest.finish()) }
}
