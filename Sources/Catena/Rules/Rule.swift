/// How a request is built and what its response is to be, under a name. What a rule does not set comes from the `DEFAULT` of its file.
///
/// ```swift
/// var rule = Rule("Topic")
/// rule.path = "topics/{id}"
/// API.rules.request(rule).params(["id": 7]).execute(as: Topic.self)
/// ```
///
/// In files, each property stands under its name in words: `Path Prefix`, `Response Type`.
public struct Rule: Sendable, Equatable {
    /// Where a response that was kept is used, as files number it.
    public enum CachePolicy: Int, Sendable, CaseIterable {
        /// As the tag's cache policy says.
        case standard = 0
        /// As the response's headers say (RFC 9111).
        case `protocol` = 1
        /// Always, however old the response is.
        case always = 2
        /// For as long as ``Rule/expire`` says, at least one second.
        case expire = 3
        /// Never.
        case never = 5
    }

    /// What is done without a network, as files number it.
    public enum OfflinePolicy: Int, Sendable, CaseIterable {
        /// What the cache policy allows.
        case standard = 0
        /// Any cached response is used; ``Rule/CachePolicy/standard`` then means ``Rule/CachePolicy/protocol``.
        case cached = 1
    }

    /// What a response has to be, as files number it.
    public enum ResponseType: Int, Sendable, CaseIterable {
        /// Whatever it is.
        case any = 0
        /// Whatever it is, if the envelope says that the call succeeded; as it does for all.
        case success = 1
        /// One object: a ``responseClass``, if the rule names one.
        case object = 2
        /// An array of objects.
        case objects = 3
    }

    /// The name by which requests ask for the rule.
    public var name: String
    /// The address against which the path is resolved; without one, the host of the call's tag is.
    public var base: String?
    /// Stands before the path, as it is written.
    public var pathPrefix: String?
    /// A reference as in a link (RFC 3986), or a whole address. `{name}` is filled from the params of that name.
    public var path: Path?
    /// The method of the request.
    public var method: HTTPMethod?
    /// In place of those of `DEFAULT`, not beside them.
    public var headers: HTTPHeaders?
    /// In place of those of `DEFAULT`, not beside them.
    public var params: Params?
    /// Whether the call is made by who is signed in; see also ``Rules/authorizationHeaders``.
    public var isAuthorized: Bool?
    /// The name under which ``RuleRegistry`` has the encoding of the params.
    public var serializer: String?
    /// Where a cached response is used in place of a request.
    public var cachePolicy: CachePolicy?
    /// How long ``CachePolicy/expire`` lasts.
    public var expire: Duration?
    /// What is done when the server cannot be reached.
    public var offlinePolicy: OfflinePolicy?
    /// The name under which ``RuleRegistry`` has the form of the response.
    public var responseSerializer: String?
    /// What the response has to be.
    public var responseType: ResponseType?
    /// Whether a response without a payload is a success.
    public var acceptsNull: Bool?
    /// The name under which ``RuleRegistry`` has the type of the response.
    public var responseClass: String?
    /// Whatever the app wants to keep with the rule; an object.
    public var userInfo: JSON?
    /// For who reads the file.
    public var notes: String?

    /// Makes a rule that sets nothing but its name.
    public init(_ name: String) {
        self.name = name
    }

    /// The rule with everything that it does not set taken from another: whole values, which are not merged.
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
