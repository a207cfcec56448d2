import Foundation

/// Params and headers that the common closures gave for one attempt.
struct CommonValues: Sendable {
    var params = Params()
    var headers = HTTPHeaders()
}

/// Makes the request that goes out from its description, its tag's profile and the common values. Pure: it asks nobody.
struct RequestAssembly {
    /// Kept whole: its parts are read in place, and a copy of the request would cost as much as the rest of the assembly.
    let execution: Execution
    let profile: ResolvedProfile
    let common: CommonValues

    var own: Params
    var shared: Params
    let placement: CommonParams
    let style: ParameterStyle
    let destination: Destination
    /// What secret params have put into the path.
    var secretParts: [String] = []

    static func assemble(_ execution: Execution, common: CommonValues) throws -> (request: HTTPRequest, params: Params) {
        var assembly = RequestAssembly(execution: execution, common: common)
        return try assembly.assemble()
    }

    private init(execution: Execution, common: CommonValues) {
        self.execution = execution
        profile = execution.profile
        self.common = common
        placement = execution.settings.commonParams
        style = execution.settings.parameterStyle
        own = execution.request.params
        destination = execution.destination
        shared = !execution.takesCommonParams ? Params() : profile.params.merging(common.params)
        shared.removeAll(execution.request.removedParams)
    }

    private mutating func assemble() throws -> (HTTPRequest, Params) {
        if let fault = execution.request.fault { throw fault }
        let method = execution.method
        guard HeaderRules.isToken(method.name) else {
            throw APIError.invalid("method", "the name is not a token (RFC 9110 §9.1)")
        }
        var address = try target()
        address.shown.secretParts = secretParts
        let written = address.query
        let (queryParams, bodyParams) = distribute(method, written: written)
        try addQuery(queryParams, to: &address)
        guard address.path.utf8.count + (address.query?.utf8.count ?? 0) <= HTTPAddress.longest else {
            throw APIError.invalid(
                address.query == nil ? "path" : "params", "the address is longer than \(HTTPAddress.longest) bytes; use a body")
        }
        let body = try encodeBody(bodyParams, method: method)
        let headers = try mergedHeaders(contentType: body?.contentType)
        var request = HTTPRequest(method: method, address: address, headers: headers, body: body?.data, bodySource: body?.source)
        if let redaction = profile.redaction { request.redaction = redaction }
        return (request, execution.signer == nil ? Params() : signedParams(queryParams, bodyParams, written: written))
    }
}
