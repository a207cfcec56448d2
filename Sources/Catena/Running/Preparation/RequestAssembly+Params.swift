/// The distribution of params to query and body, with the call's own params apart.
struct PlacedParams {
    var query: Params
    var ownQuery: Params
    /// The params of the body, or `nil` if the body does not consist of params.
    var body: Params?
    var ownBody: Params?
}

// Distributes the params.
extension RequestAssembly {
    /// Distributes the params to the query and, if the body consists of params, to the body.
    ///
    /// A key is sent once in each of them, with the call's own value if there is one, whatever the other contains.
    ///
    /// - Parameter pathQuery: The query in the path.
    func distribute(_ method: HTTPMethod, pathQuery: String?) throws -> PlacedParams {
        let (query, body) = (try following(run.request.query), run.request.body)
        let form = body?.form
        let toBody = form != nil ? !isQueryAskedFor : body == nil && !goesToQuery(method)
        let ownParams = try following(self.callParams)
        let callParams = form?.removingFields(from: ownParams) ?? ownParams
        // Without `map`, whose closure would copy the assembly.
        var ownBody = toBody ? callParams : body?.members
        if !toBody, let members = ownBody { ownBody = try following(members) }
        let ownQuery = toBody ? query : query.merging(callParams)
        var placed = PlacedParams(query: ownQuery, ownQuery: ownQuery, body: ownBody, ownBody: ownBody)
        if inheritedParams.isEmpty || placement == .none { return placed }
        let inheritedParams = try following(self.inheritedParams)
        if placement == .merged, let ownBody {
            placed.body = (form?.removingFields(from: inheritedParams) ?? inheritedParams).merging(ownBody)
            return placed
        }
        var common = inheritedParams
        common.removeAll(keys(of: common, in: pathQuery))
        common.removeAll(of: query)
        switch placement {
        // The call's own params replace common params in place.
        case .merged: placed.query = query.merging(toBody ? common : common.merging(callParams))
        case .query, .none:
            common.removeAll(of: ownQuery)
            placed.query = common.merging(ownQuery)
        }
        return placed
    }

    /// Returns params with what the tag's encoder does to `Encodable` values. Inlined, because most params have none and would be copied.
    @inline(__always)
    private func following(_ params: Params) throws -> Params {
        params.isCoded ? try coded(params) : params
    }

    @inline(never)
    private func coded(_ params: Params) throws -> Params {
        do throws(ParameterError) {
            return try params.following(run.configuration.encoder)
        } catch {
            throw APIError.invalid(step(of: error), error)
        }
    }

    func goesToQuery(_ method: HTTPMethod) -> Bool {
        if method.forbidsBody { return true }
        if method.putsParamsInQuery, run.request.options[\.encoding] == nil { return true }
        return isQueryAskedFor
    }

    private var isQueryAskedFor: Bool {
        if case .query = encoding { true } else { false }
    }

    /// Returns the params of query and body together for the signer. A name that is in both is signed once, with the call's own value. If both
    /// values are the call's own, that of the body is signed.
    ///
    /// - Parameter pathQuery: The query in the path.
    func signedParams(_ placed: PlacedParams, pathQuery: String?) -> Params {
        var (params, own) = (placed.query, placed.ownQuery)
        // A property list is encoded as a whole and has no params to sign.
        if let body = placed.body, let ownBody = placed.ownBody, run.request.body?.isPropertyList != true {
            params.merge(body)
            own.merge(ownBody)
            params.merge(own)
        }
        if let pathQuery {
            let replaced = names(of: own)
            params.merge(Params(query: pathQuery.split(separator: "&")) { !replaced.contains($0) })
        }
        return params
    }

    var encoding: ParameterEncoding { run.configuration.encoding }

    /// Returns the keys of params that are sent, wholly or in part, under a name in this query.
    private func keys(of params: Params, in pathQuery: String?) -> [String] {
        guard let pathQuery, !pathQuery.isEmpty else { return [] }
        let names = Set(pathQuery.split(separator: "&").map(Self.name))
        return params.members.filter { !names.isDisjoint(with: self.names(of: Params([$0]))) }.map(\.key)
    }

    /// Returns the names under which params are sent, and their keys, because a param without a value also replaces what the path contains.
    private func names(of params: Params) -> Set<String> {
        // Params that cannot be encoded are reported when they are sent.
        let fields = (try? ParameterField.fields(of: params, style: style)) ?? []
        return Set(params.keys + fields.map(\.name))
    }

    private static func name(of pair: Substring) -> String {
        PercentDecoding.decode(pair.prefix { $0 != "=" }, plusIsSpace: true)
    }

    /// Adds params to the query of the path, replacing params of the same names there. Only the call's own params can have such names.
    func addQuery(_ params: Params, to address: inout HTTPAddress) throws {
        guard !params.isEmpty else { return }
        let encoded = try encode(params)
        let kept = address.query.map { withoutParams(named: names(of: params), in: $0) } ?? ""
        let query = kept.isEmpty ? encoded : encoded.isEmpty ? kept : kept + "&" + encoded
        address.query = query.isEmpty ? nil : query
    }

    private func withoutParams(named names: Set<String>, in query: String) -> String {
        query.split(separator: "&").filter { !names.contains(Self.name(of: $0)) }.joined(separator: "&")
    }

    func encode(_ params: Params) throws -> String {
        if case .custom(let encoder) = encoding {
            let text = try encodeByCaller { () throws in try encoder.query(params, style: style) }
            return PercentEncoding.queryText.encode(text)
        }
        do throws(ParameterError) {
            return try URLQueryEncoder.encode(params, style: style)
        } catch {
            throw APIError.invalid(step(of: error), error)
        }
    }

    /// Runs an encoder that the app provides.
    func encodeByCaller<Result>(_ encode: () throws -> Result) throws -> Result {
        do {
            return try encode()
        } catch let error as ParameterError {
            throw APIError.invalid(step(of: error), error)
        } catch {
            throw APIError.invalid("encoding", APIError.wrapping(error).message, underlying: error)
        }
    }

    /// Returns the step that added a param that cannot be sent.
    func step(of error: ParameterError) -> String {
        if holds(callParams, error) { return "params" }
        if holds(run.request.query, error) { return "query" }
        return holds(common.params, error) ? "commonParams" : "configure"
    }

    /// Returns the step that added an invalid member of a body, which may be a common param.
    func step(of error: ParameterError, inBodyOf step: String) -> String {
        guard placement == .merged, let own = run.request.body?.members, !holds(own, error) else { return step }
        return holds(common.params, error) ? "commonParams" : holds(profile.params, error) ? "configure" : step
    }

    private func holds(_ params: Params, _ error: ParameterError) -> Bool {
        params.keys.contains { key in
            let sent = style.keyCase.apply(to: key)
            let rest = error.keyPath.dropFirst(sent.count)
            return error.keyPath.hasPrefix(sent) && (rest.isEmpty || rest.hasPrefix(".") || rest.hasPrefix("["))
        }
    }
}
