public import Catena

/// A named description of a request and of its response. Values that a rule does not set come from the `DEFAULT` of its file.
///
/// ```swift
/// var rule = Rule("Topic")
/// rule.path = "topics/{id}"
/// API.rules.request(rule).params(["id": 7]).execute(as: Topic.self)
/// ```
///
/// In files, each property has a key in words: `Path Prefix`, `Response Type`.
public struct Rule: Sendable, Equatable {
    /// The use of cached responses, with the numbers of rule files.
    public enum CachePolicy: Int, Sendable, CaseIterable {
        /// Follows the tag's cache policy.
        case standard = 0
        /// Follows the headers of the response (RFC 9111).
        case `protocol` = 1
        /// Always uses a cached response, whatever its age.
        case always = 2
        /// Uses a cached response for the time of ``Rule/expire``, at least one second.
        case expire = 3
        /// Never uses a cached response.
        case never = 5
    }

    /// The use of cached responses while the server is unreachable, with the numbers of rule files.
    public enum OfflinePolicy: Int, Sendable, CaseIterable {
        /// Follows the cache policy.
        case standard = 0
        /// Uses any cached response. ``Rule/CachePolicy/standard`` then means ``Rule/CachePolicy/protocol``.
        case cached = 1
    }

    /// The required form of a response, with the numbers of rule files.
    public enum ResponseType: Int, Sendable, CaseIterable {
        /// Accepts any response.
        case any = 0
        /// Accepts any response whose envelope reports success, which `any` requires too.
        case success = 1
        /// Requires one object, which is decoded as the ``responseClass`` if the rule names one.
        case object = 2
        /// Requires an array of objects.
        case objects = 3
    }

    /// The name that requests use to find the rule.
    public var name: String
    /// The address against which the path is resolved, or `nil` to use the host of the call's tag.
    public var base: String?
    /// The text put before the path, without a separator.
    public var pathPrefix: String?
    /// A relative reference (RFC 3986) or a whole address. `{name}` is filled from the param of that name.
    public var path: Path?
    /// The method of the request.
    public var method: HTTPMethod?
    /// The headers, which replace those of `DEFAULT`.
    public var headers: HTTPHeaders?
    /// The params, which replace those of `DEFAULT`.
    public var params: Params?
    /// Whether the call sends the credential of the signed-in user; see also ``Rules/authorizationHeaders``.
    public var isAuthorized: Bool?
    /// The name of the params' encoding in ``RuleRegistry``.
    public var serializer: String?
    /// The use of cached responses in place of a request.
    public var cachePolicy: CachePolicy?
    /// The time for which ``CachePolicy/expire`` uses a cached response.
    public var expire: Duration?
    /// The use of cached responses while the server is unreachable.
    public var offlinePolicy: OfflinePolicy?
    /// The name of the response's form in ``RuleRegistry``.
    public var responseSerializer: String?
    /// The required form of the response.
    public var responseType: ResponseType?
    /// Whether a response without a payload is a success. The default is true for the types `any` and `success`, which need none.
    public var acceptsNull: Bool?
    /// The name of the response's type in ``RuleRegistry``.
    public var responseClass: String?
    /// An object with any data that the app stores with the rule.
    public var userInfo: JSON?
    /// Notes for readers of the file.
    public var notes: String?

    /// Creates a rule that sets only its name.
    public init(_ name: String) {
        self.name = name
    }

    /// Returns a rule whose unset values are taken from `other`. Headers and params are taken whole and not merged.
    public func over(_ other: Rule) -> Rule {
        var rule = self
        rule.base = base ?? other.base
        rule.pathPrefix = pathPrefix ?? other.pathPrefix
        rule.path = path ?? other.path
        rule.method = method ?? other.method
        rule.headers = headers ?? other.headers
        rule.params = params ?? other.params
        rule.isAuthorized = isAuthorized ?? other.isAuthorized
        rule.serializer = serializer ?? other.serializer
        rule.cachePolicy = cachePolicy ?? other.cachePolicy
        rule.expire = expire ?? other.expire
        rule.offlinePolicy = offlinePolicy ?? other.offlinePolicy
        rule.responseSerializer = responseSerializer ?? other.responseSerializer
        rule.responseType = responseType ?? other.responseType
        rule.acceptsNull = acceptsNull ?? other.acceptsNull
        rule.responseClass = responseClass ?? other.responseClass
        rule.userInfo = userInfo ?? other.userInfo
        rule.notes = notes ?? other.notes
        return rule
    }
}
