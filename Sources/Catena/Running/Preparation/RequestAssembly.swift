import CatenaPlatform

/// Assembles the request from its description, the profile of its tag and the common values. Pure.
struct RequestAssembly {
    /// The whole run, because a copy of its request would cost as much as the rest of the assembly.
    let run: CallRun
    let profile: ResolvedProfile
    let common: CommonValues

    var callParams: Params
    var inheritedParams: Params
    let placement: CommonParams
    let style: ParameterStyle
    let destination: Destination
    /// The percent-encoded values of secret params in the path and its query.
    var secretParts: [String] = []

    static func assemble(_ run: CallRun, common: consuming CommonValues) throws -> (request: HTTPRequest, params: Params) {
        var assembly = RequestAssembly(run: run, common: consume common)
        return try assembly.assemble()
    }

    /// Returns the address that the call has without the values of the common closures.
    static func ownAddress(of run: CallRun) throws -> HTTPAddress {
        var assembly = RequestAssembly(run: run, common: CommonValues())
        var address = try assembly.target()
        try assembly.addQuery(assembly.distribute(run.method, pathQuery: address.query).query, to: &address)
        return address
    }

    private init(run: CallRun, common: consuming CommonValues) {
        self.run = run
        profile = run.profile
        placement = run.configuration.commonParams
        style = run.configuration.parameterStyle
        callParams = run.request.params
        destination = run.destination
        inheritedParams = !run.takesCommonParams ? Params() : profile.params.merging(common.params)
        self.common = consume common
        inheritedParams.removeAll(run.request.removedParams)
    }

    private static func checkMethod(_ method: HTTPMethod) throws {
        switch method {
        case .connect: throw APIError.invalid("method", "CONNECT is for proxies (RFC 9110 §9.3.6) and cannot be sent")
        case .trace:
            throw APIError.invalid("method", "TRACE would have the server send credentials back (RFC 9110 §9.3.8) and cannot be sent")
        default: break
        }
    }

    private mutating func assemble() throws -> (HTTPRequest, Params) {
        if let fault = run.request.fault { throw fault }
        let method = run.method
        guard HeaderRules.isToken(method.name) else {
            throw APIError.invalid("method", "the name is not a token (RFC 9110 §9.1)")
        }
        try Self.checkMethod(method)
        // Fail here, because an attempt without time could succeed if the response came fast enough.
        let limit = run.configuration.timeout
        guard limit > .zero else { throw APIError(.timeout, message: "timeout: with a limit of \(limit) no time is left for an attempt.") }
        var address = try target()
        if !secretParts.isEmpty { address.shown.secretParts = secretParts }
        let pathQuery = address.query
        let placed = try distribute(method, pathQuery: pathQuery)
        try addQuery(placed.query, to: &address)
        guard address.path.utf8.count + (address.query?.utf8.count ?? 0) <= HTTPAddress.longest else {
            throw APIError.invalid(
                address.query == nil ? "path" : "params", "the address is longer than \(HTTPAddress.longest) bytes; use a body")
        }
        let body = try transformed(encodeBody(placed.body, method: method))
        var headers = try mergedHeaders(contentType: body?.contentType)
        try addContentEncoding(body?.contentEncoding, to: &headers)
        var request = HTTPRequest(method: method, address: address, headers: headers, body: body?.data, bodySource: body?.source)
        request.redaction = profile.redaction
        if let routing = profile.routing { request.routing = routing }
        if !run.request.ownValues.isEmpty { request.ownValues = run.request.ownValues }
        return (request, run.signer == nil ? Params() : signedParams(placed, pathQuery: pathQuery))
    }
}
