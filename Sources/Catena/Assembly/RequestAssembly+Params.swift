/// Which params go where, and which of them are the call's own.
struct PlacedParams {
    var query: Params
    var ownQuery: Params
    /// `nil`: no body is made of params.
    var body: Params?
    var ownBody: Params?
}

// Which params go where.
extension RequestAssembly {
    /// Says which params go to the query and which to the body, if there is a body made of params.
    ///
    /// A key is sent once in each, with the call's own value where it has one; what stands in the other place does not matter.
    ///
    /// - Parameter pathQuery: The query that stands in the path.
    func distribute(_ method: HTTPMethod, pathQuery: String?) -> PlacedParams {
        let (query, body) = (execution.request.query, execution.request.body)
        let form = body?.form
        let toBody = form != nil ? !isQueryAskedFor : body == nil && !goesToQuery(method)
        let callParams = form?.removingFields(from: self.callParams) ?? self.callParams
        let ownBody = toBody ? callParams : body?.members
        let ownQuery = toBody ? query : query.merging(callParams)
        var placed = PlacedParams(query: ownQuery, ownQuery: ownQuery, body: ownBody, ownBody: ownBody)
        if inheritedParams.isEmpty || placement == .none { return placed }
        if placement == .merged, let ownBody {
            placed.body = (form?.removingFields(from: inheritedParams) ?? inheritedParams).merging(ownBody)
            return placed
        }
        var common = inheritedParams
        common.removeAll(keys(of: common, in: pathQuery))
        common.removeAll(query.keys)
        switch placement {
        // Among the call's own, which take the places of those that they replace.
        case .merged: placed.query = query.merging(toBody ? common : common.merging(callParams))
        case .query, .none:
            common.removeAll(ownQuery.keys)
            placed.query = common.merging(ownQuery)
        }
        return placed
    }

    func goesToQuery(_ method: HTTPMethod) -> Bool {
        if method.forbidsBody { return true }
        if method.putsParamsInQuery, execution.request.options.encoding == nil { return true }
        return isQueryAskedFor
    }

    private var isQueryAskedFor: Bool {
        if case .query = encoding { true } else { false }
    }

    /// The params of query and body together, for who signs them. A name that is in both is signed once: the call's own value, and where
    /// both are that, the one in the body.
    ///
    /// - Parameter pathQuery: The query that stands in the path.
    func signedParams(_ placed: PlacedParams, pathQuery: String?) -> Params {
        var (params, own) = (placed.query, placed.ownQuery)
        // A property list is encoded as a whole.
        if let body = placed.body, let ownBody = placed.ownBody, execution.request.body?.isPropertyList != true {
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

    var encoding: ParameterEncoding { execution.settings.encoding }

    /// The keys of those params of which any part is sent under a name that stands in a query.
    private func keys(of params: Params, in pathQuery: String?) -> [String] {
        guard let pathQuery, !pathQuery.isEmpty else { return [] }
        let names = Set(pathQuery.split(separator: "&").map(Self.name))
        return params.members.filter { !names.isDisjoint(with: self.names(of: Params([$0]))) }.map(\.key)
    }

    /// The names under which params are sent, and their keys, since one without any value replaces what is written, too.
    private func names(of params: Params) -> Set<String> {
        // What cannot be written is told where it is.
        let fields = (try? ParameterField.fields(of: params, style: style)) ?? []
        return Set(params.keys + fields.map(\.name))
    }

    private static func name(of pair: Substring) -> String {
        PercentDecoding.decode(pair.prefix { $0 != "=" }, plusIsSpace: true)
    }

    /// Adds params to what the path says, which they replace: they are the call's own, or have other names.
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

    /// Runs an encoder of the caller's.
    func encodeByCaller<Result>(_ encode: () throws -> Result) throws -> Result {
        do {
            return try encode()
        } catch let error as ParameterError {
            throw APIError.invalid(step(of: error), error)
        } catch {
            throw APIError.invalid("encoding", APIError.wrapping(error).message, underlying: error)
        }
    }

    /// The step from which a param came that cannot be sent.
    func step(of error: ParameterError) -> String {
        if holds(callParams, error) { return "params" }
        if holds(execution.request.query, error) { return "query" }
        return holds(common.params, error) ? "commonParams" : "configure"
    }

    /// The step of a body in which common params stand, too.
    func step(of error: ParameterError, inBodyOf step: String) -> String {
        guard placement == .merged, let own = execution.request.body?.members, !holds(own, error) else { return step }
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
