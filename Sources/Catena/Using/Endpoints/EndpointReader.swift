/// Reads the properties of an endpoint in each form that the protocol accepts.
struct EndpointReader<Described: Endpoint> {
    let endpoint: Described

    /// Sets the properties of the endpoint in a request.
    func fill(_ request: inout Request) throws {
        request.tag = try value(.tag, endpoint.tag) { text($0).map { Tag($0) } }
        request.chosenMethod = try value(.method, endpoint.method) { text($0).map { HTTPMethod($0) } }
        if let timeout: Duration = try value(.timeout, endpoint.timeout) { request.options[\.timeout] = timeout }
        if let retry: RetryPolicy = try value(.retry, endpoint.retry) { request.options[\.retry] = retry }
        if let policy: CachePolicy = try value(.cache, endpoint.cache) { request.options[\.cachePolicy] = policy }
        let params: Params? = try value(.params, endpoint.params) { try members($0, .params) }
        request = request.params(try params ?? paramsOfMembers ?? [:])
        if let query = try value(.query, endpoint.query, { try members($0, .query) }) { request = request.query(query) }
        if let headers = try value(.headers, endpoint.headers, headers) { request = request.headers(headers) }
        if let body: EndpointBody = try value(.body, endpoint.body) { request = body.add(request) }
    }

    /// The message about a member that is encoded as a param although it looks like a setting of the call, or `nil` if there is none.
    var misleadingMember: String? {
        find(.timeout, endpoint.timeout, "`var timeout: Duration { .seconds(…) }` limits the time of the call.", where: isNumber)
            ?? find(.retry, endpoint.retry, "`var retry: RetryPolicy { .exponential(limit: …) }` repeats the call.", where: isNumber)
            ?? find(.headers, try? endpoint.headers, "`var headers: [String: String] { … }` sends headers.") { $0 is [String: Any] }
            ?? find(.method, endpoint.method, "`var method: HTTPMethod { … }` sets the method.") { value in
                text(value).map { HTTPMethod.isStandard($0) } ?? false
            }
    }

    /// - Parameter declared: The value. It is read only if it is stored, because a computed one may have effects.
    private func find(
        _ part: EndpointPart, _ declared: @autoclosure () -> Any?, _ remedy: String, where isSetting: (Any) -> Bool
    ) -> String? {
        guard isStored(part), let value = declared().flatMap(unwrapped), isSetting(value), sendsMember(part) else { return nil }
        return "\(Described.self).\(part) is sent as a param, since it is stored as a \(type(of: value)). \(remedy)"
    }

    private func isStored(_ part: EndpointPart) -> Bool { Mirror(reflecting: endpoint).children.contains { $0.label == part.rawValue } }

    // MARK: Forms

    /// Returns a property of the protocol, converted from its declared form. Returns `nil` if the property is `nil` or if the endpoint encodes
    /// it as a member.
    ///
    /// - Throws: An error if the declared form is not accepted.
    private func value<Own>(_ part: EndpointPart, _ declared: Any, _ make: (Any) throws -> Own? = { _ in nil }) throws -> Own? {
        if let own = declared as? Own { return own }
        guard let present = unwrapped(declared), !sendsMember(part) else { return nil }
        if let made = try make(present) { return made }
        throw APIError.invalid(
            "endpoint", "\(Described.self).\(part) is of type \(type(of: present)), which has no form there; declare it as \(part.forms)")
    }

    private func text(_ value: Any) -> String? { value as? String ?? (value as? Substring).map { String($0) } }

    private func isNumber(_ value: Any) -> Bool { value is any BinaryInteger || value is any BinaryFloatingPoint }

    private func unwrapped(_ value: Any) -> Any? {
        guard let optional = value as? any OptionalValue else { return value }
        return optional.wrapped.flatMap(unwrapped)
    }

    /// Returns the members of a dictionary or of a value that encodes an object, or `nil` for any other value.
    private func members(_ value: Any, _ part: EndpointPart) throws -> Params? {
        do throws(ParameterError) {
            if let dictionary = value as? [String: Any] { return try Params(checking: dictionary) }
            guard let value = value as? any Encodable, case .object(let members) = try ParameterNode(encoding: value) else { return nil }
            return members
        } catch {
            throw fault(part, error)
        }
    }

    private func headers(_ value: Any) throws -> HTTPHeaders? {
        guard let members = try members(value, .headers) else { return nil }
        var headers = HTTPHeaders()
        for member in members.members {
            do throws(ParameterError) {
                if member.node == .null { continue }
                guard let text = try ParameterStyle().text(of: member.node) else { throw ParameterError("a header is a single value") }
                headers.set(text, for: member.key)
            } catch {
                throw fault(.headers, error.inside(member.key))
            }
        }
        return headers
    }

    private func fault(_ part: EndpointPart, _ error: ParameterError) -> APIError {
        .invalid("endpoint: \(Described.self).\(part)", error)
    }

    // MARK: Members

    /// The members of an endpoint that encodes its property `params` as a member, or `nil` if it does not.
    private var paramsOfMembers: Params? {
        get throws {
            guard sendsMember(.params), let encodable = endpoint as? any Endpoint & Encodable else { return nil }
            return try encodable.encodedMembers
        }
    }

    /// Whether an endpoint that is `Encodable` stores and encodes a property under this name.
    private func sendsMember(_ part: EndpointPart) -> Bool {
        guard let encodable = endpoint as? any Endpoint & Encodable, isStored(part) else { return false }
        return (try? encodable.encodedMembers)?.keys.contains(part.rawValue) == true
    }
}

/// A property of the protocol that may have several forms.
enum EndpointPart: String, CustomStringConvertible {
    case tag, method, params, query, headers, body, timeout, retry, cache

    var description: String { rawValue }

    /// The accepted forms, for a message.
    fileprivate var forms: String {
        switch self {
        case .tag: "Tag or text"
        case .method: "HTTPMethod or text"
        case .params, .query: "Params, a dictionary or an Encodable object"
        case .headers: "HTTPHeaders, a dictionary or an Encodable object"
        case .body: "EndpointBody, such as .json(value) or .data(data, contentType: …)"
        case .timeout: "Duration"
        case .retry: "RetryPolicy"
        case .cache: "CachePolicy"
        }
    }
}

extension Endpoint {
    /// Whether the endpoint may encode a setting as a param: one of its settings has a type that is none of the protocol's.
    static var maySendSettings: Bool {
        let hasOther =
            !(TimeoutValue.self == Duration?.self || TimeoutValue.self == Duration.self)
            || !(RetryValue.self == RetryPolicy?.self || RetryValue.self == RetryPolicy.self)
            || !(MethodValue.self == HTTPMethod?.self || MethodValue.self == HTTPMethod.self) || HeadersValue.self != HTTPHeaders.self
        return hasOther && Self.self is any Encodable.Type
    }
}
