// Which params go where.
extension RequestAssembly {
    /// Says which params go to the query and which to the body, if there is a body made of params.
    func distribute(_ method: HTTPMethod) -> (query: Params, body: Params?) {
        let form = execution.request.body?.form
        let toBody = form != nil ? !isQueryAskedFor : execution.request.body == nil && !goesToQuery(method)
        var own = form?.removingFields(from: self.own) ?? self.own
        var query = Params()
        // A key is sent once, and per call beats common.
        var shared = form?.removingFields(from: self.shared) ?? self.shared
        if !shared.isEmpty {
            shared.removeAll(execution.request.query.keys)
            shared.removeAll(execution.request.body?.keys ?? [])
        }
        switch placement {
        case .merged:
            own = shared.merging(own)
        case .query:
            query = shared
            if !query.isEmpty {
                query.removeAll(own.keys)
            }
        case .none:
            break
        }
        query.merge(execution.request.query)
        if !toBody { query.merge(own) }
        return (query, toBody ? own : nil)
    }

    func goesToQuery(_ method: HTTPMethod) -> Bool {
        if method.forbidsBody { return true }
        if method.putsParamsInQuery, execution.request.options.encoding == nil { return true }
        return isQueryAskedFor
    }

    private var isQueryAskedFor: Bool {
        if case .query = encoding { true } else { false }
    }

    /// The params of query and body together, for who signs them.
    ///
    /// - Parameter written: The query that stands in the path.
    func signedParams(_ query: Params, _ body: Params?, written: String?) -> Params {
        var params = query
        if let body { params.merge(body) }
        switch execution.request.body?.content {
        case .form(let fields), .json(.params(let fields)): params.merge(fields)
        default: break
        }
        if let written {
            let own = own
            let asked = execution.request.query
            params.merge(Params(query: written.split(separator: "&")) { !own.contains($0) && !asked.contains($0) })
        }
        return params
    }

    var encoding: ParameterEncoding { execution.request.options.encoding ?? profile.encoding }

    /// Adds params to what the path says: the call's own replace what is written there, and that replaces the common ones.
    func addQuery(_ params: Params, to address: inout HTTPAddress) throws {
        guard !params.isEmpty else { return }
        var params = params
        var pairs: [Substring] = []
        if let written = address.query, !written.isEmpty {
            for pair in written.split(separator: "&") {
                let name = PercentDecoding.decode(pair.prefix { $0 != "=" }, plusIsSpace: true)
                if params.contains(name), own.contains(name) || execution.request.query.contains(name) { continue }
                params.remove(name)
                pairs.append(pair)
            }
        }
        let encoded = try encode(params)
        let written = pairs.joined(separator: "&")
        let query = written.isEmpty ? encoded : encoded.isEmpty ? written : written + "&" + encoded
        address.query = query.isEmpty ? nil : query
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
        if holds(own, error) { return "params" }
        if holds(execution.request.query, error) { return "query" }
        return holds(common.params, error) ? "commonParams" : "configure"
    }

    private func holds(_ params: Params, _ error: ParameterError) -> Bool {
        params.keys.contains { key in
            let sent = style.keyCase.apply(to: key)
            let rest = error.keyPath.dropFirst(sent.count)
            return error.keyPath.hasPrefix(sent) && (rest.isEmpty || rest.hasPrefix(".") || rest.hasPrefix("["))
        }
    }
}
