// Params of any `Encodable` type. The step encodes the value, so that later changes to an object do not change the request.
extension RequestSteps {
    /// Merges the members of a value: each becomes a param, and a member that is `nil` is left out.
    ///
    /// Keys, dates and bytes are written by the strategies of the tag's encoder, as in a JSON body. Dates that it leaves to themselves are written in the
    /// style of ``encoding(style:)``. A value that is not an object or cannot be encoded fails the call, with an error that names the key path.
    ///
    /// ```swift
    /// API.tag(.forum).get("/rooms").params(RoomFilter(page: 1, tags: ["a", "b"]))
    /// ```
    @_disfavoredOverload
    public consuming func params(_ value: some Encodable) -> Self {
        let members = request.made("params", or: Params()) { () throws(ParameterError) in
            try Params(members: ParameterNode(encoding: value))
        }
        return params(members)
    }

    /// Merges a dictionary whose values are checked at run time, sorted by key.
    ///
    /// A value may have any type that ``Params`` accepts, or the corresponding Foundation type, such as `NSNumber` or `NSString`. `NSNull` is a
    /// null. Arrays and dictionaries of these types are accepted too. A value that is `nil` is left out. Any other value fails the call, with
    /// an error that names the key path.
    ///
    /// ```swift
    /// let stored = UserDefaults.standard.dictionary(forKey: "filter") ?? [:]
    /// API.tag(.forum).get("/rooms").params(dictionary: stored)
    /// ```
    public consuming func params(dictionary: [String: Any]) -> Self {
        let members = request.made("params", or: Params()) { () throws(ParameterError) in try Params(checking: dictionary) }
        return params(members)
    }

    /// Merges the members of a value into the query, with every method.
    @_disfavoredOverload
    public consuming func query(_ value: some Encodable) -> Self {
        let members = request.made("query", or: Params()) { () throws(ParameterError) in
            try Params(members: ParameterNode(encoding: value))
        }
        return query(members)
    }

    /// Sends the members of a value as a form, `application/x-www-form-urlencoded`.
    @_disfavoredOverload
    public consuming func form(_ value: some Encodable) -> Self {
        let members = request.made("form", or: Params()) { () throws(ParameterError) in
            try Params(members: ParameterNode(encoding: value))
        }
        return form(members)
    }

    /// Sends a value as an XML property list: a dictionary, an array or a single value.
    @_disfavoredOverload
    public consuming func body(propertyList value: some Encodable) -> Self {
        let node = request.made("body(propertyList:)", or: ParameterNode.null) { () throws(ParameterError) in
            try ParameterNode(encoding: value)
        }
        return body(.propertyList(node), step: "body(propertyList:)")
    }
}

extension Request {
    /// Returns the value that a step makes. If it cannot be made, the call fails, and `other` takes its place.
    fileprivate mutating func made<Value>(_ step: String, or other: Value, _ make: () throws(ParameterError) -> Value) -> Value {
        do throws(ParameterError) {
            return try make()
        } catch {
            if fault == nil { fault = APIError.invalid(step, error) }
            return other
        }
    }

    /// Creates the request that an endpoint describes. An error that the endpoint throws fails the call.
    package init(_ endpoint: some Endpoint, client: Client?) {
        var request = Request(client: client).path(endpoint.path)
        do {
            try EndpointReader(endpoint: endpoint).fill(&request)
        } catch {
            request.fault = APIError.failure(of: "endpoint", error)
        }
        self = endpoint.adjust(request)
    }
}

extension Params {
    /// Creates params from the members of any `Encodable` value, for common params and for use inside a literal.
    ///
    /// ```swift
    /// API.commonParams { _ in try Params(encoding: Device.current) }
    /// ```
    ///
    /// - Throws: An ``APIError`` that names the key path, if the value cannot be encoded or is not an object.
    public init(encoding value: some Encodable) throws {
        do throws(ParameterError) {
            try self.init(members: ParameterNode(encoding: value))
        } catch {
            throw APIError.invalid("params", error)
        }
    }

    /// Creates params from a dictionary whose values are checked at run time, sorted by key. See ``RequestSteps/params(dictionary:)``.
    ///
    /// ```swift
    /// API.commonParams { _ in try Params(dictionary: device.values) }
    /// ```
    ///
    /// - Throws: An ``APIError`` that names the key path of a value that cannot be a param.
    public init(dictionary: [String: Any]) throws {
        do throws(ParameterError) {
            try self.init(checking: dictionary)
        } catch {
            throw APIError.invalid("params", error)
        }
    }

    fileprivate init(members node: ParameterNode) throws(ParameterError) {
        switch node {
        case .object(let members): self = members
        case .array: throw ParameterError("an array has no names to send its elements under; use .json(…) or put it under a key")
        default: throw ParameterError("a single value has no name to be sent under; use .json(…) or put it under a key")
        }
    }
}
