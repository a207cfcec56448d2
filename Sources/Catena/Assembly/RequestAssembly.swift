import Foundation

/// Assembles the request from its description, the profile of its tag and the common values. Pure.
struct RequestAssembly {
    /// The whole execution, because a copy of its request would cost as much as the rest of the assembly.
    let execution: Execution
    let profile: ResolvedProfile
    let common: CommonValues

    var callParams: Params
    var inheritedParams: Params
    let placement: CommonParams
    let style: ParameterStyle
    let destination: Destination
    /// The values of secret params in the path.
    var secretParts: [String] = []

    static func assemble(_ execution: Execution, common: consuming CommonValues) throws -> (request: HTTPRequest, params: Params) {
        var assembly = RequestAssembly(execution: execution, common: common)
        return try assembly.assemble()
    }

    private init(execution: Execution, common: consuming CommonValues) {
        self.execution = execution
        profile = execution.profile
        self.common = common
        placement = execution.configuration.commonParams
        style = execution.configuration.parameterStyle
        callParams = execution.request.params
        destination = execution.destination
        inheritedParams = !execution.takesCommonParams ? Params() : profile.params.merging(common.params)
        inheritedParams.removeAll(execution.request.removedParams)
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
        if let fault = execution.request.fault { throw fault }
        let method = execution.method
        guard HeaderRules.isToken(method.name) else {
            throw APIError.invalid("method", "the name is not a token (RFC 9110 §9.1)")
        }
        try Self.checkMethod(method)
        // Fail here, because an attempt without time could succeed if the response came fast enough.
        let limit = execution.configuration.timeout
        guard limit > .zero else { throw APIError(.timeout, message: "timeout: with a limit of \(limit) no time is left for an attempt.") }
        var address = try target()
        address.shown.secretParts = secretParts
        let pathQuery = address.query
        let placed = distribute(method, pathQuery: pathQuery)
        try addQuery(placed.query, to: &address)
        guard address.path.utf8.count + (address.query?.utf8.count ?? 0) <= HTTPAddress.longest else {
            throw APIError.invalid(
                address.query == nil ? "path" : "params", "the address is longer than \(HTTPAddress.longest) bytes; use a body")
        }
        let body = try transformed(encodeBody(placed.body, method: method))
        let headers = try mergedHeaders(contentType: body?.contentType)
        var request = HTTPRequest(method: method, address: address, headers: headers, body: body?.data, bodySource: body?.source)
        request.redaction = profile.redaction
        if let routing = profile.routing { request.routing = routing }
        return (request, execution.signer == nil ? Params() : signedParams(placed, pathQuery: pathQuery))
    }
}
