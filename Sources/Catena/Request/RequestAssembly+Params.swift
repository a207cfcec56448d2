// Which params go where.
extension RequestAssembly {
    /// Says which params go to the query and which to the body, if there is a body made of params.
    func distribute(_ method: HTTPMethod) -> (query: Params, body: Params?) {
        let toBody = request.body == nil && !goesToQuery(method)
        var own = self.own
        var query = Params()
        switch placement {
        case .merged:
            own = shared.merging(own)
        case .query:
            // A key is sent once, and per call beats common.
            query = shared
            if !query.isEmpty {
                for name in own.keys { query.remove(name) }
            }
        case .none:
            break
        }
        query.merge(request.query)
        if !toBody { query.merge(own) }
        return (query, toBody ? own : nil)
    }

    func goesToQuery(_ method: HTTPMethod) -> Bool {
        if method.forbidsBody { return true }
        if method.putsParamsInQuery { return request.options.encoding == nil || request.options.encoding == .query }
        return (request.options.encoding ?? profile.encoding) == .query
    }

    func addQuery(_ params: Params, to address: inout HTTPAddress) throws {
        guard !params.isEmpty else { return }
        var params = params
        var pairs: [Substring] = []
        if let written = address.query, !written.isEmpty {
            for pair in written.split(separator: "&") {
                let name = PercentEncoding.decode(pair.prefix { $0 != "=" })
                if own.contains(name) || request.query.contains(name) { continue }
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
        do throws(ParameterError) {
            return try URLQueryEncoder.encode(params, style: style)
        } catch {
            throw invalid(error)
        }
    }

    /// Names the step from which a value came that cannot be sent.
    func invalid(_ error: ParameterError) -> APIError {
        let key = String(error.keyPath.prefix { $0 != "[" && $0 != "." })
        let step = request.params.contains(key) ? "params" : request.query.contains(key) ? "query" : request.body?.step ?? "commonParams"
        return APIError.invalid(step, "\"\(error.keyPath)\" \(error.reason)", underlying: error)
    }
}
