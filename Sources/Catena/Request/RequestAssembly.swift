import Foundation

/// Params and headers that the common closures gave for one attempt.
struct CommonValues: Sendable {
    var params = Params()
    var headers = HTTPHeaders()
}

/// Makes the request that goes out from its description, its tag's profile and the common values. Pure: it asks nobody.
struct RequestAssembly {
    let request: Request
    let profile: ResolvedProfile
    let common: CommonValues

    var own: Params
    var shared: Params
    let placement: CommonParams
    let style: ParameterStyle

    static func assemble(_ request: Request, profile: ResolvedProfile, common: CommonValues) throws -> HTTPRequest {
        var assembly = RequestAssembly(request: request, profile: profile, common: common)
        return try assembly.assemble()
    }

    private init(request: Request, profile: ResolvedProfile, common: CommonValues) {
        self.request = request
        self.profile = profile
        self.common = common
        placement = request.options.commonParams ?? profile.commonParams
        style = request.options.parameterStyle ?? profile.parameterStyle
        own = request.params
        shared = placement == .none ? Params() : profile.params.merging(common.params)
        for name in request.removedParams { shared.remove(name) }
    }

    private mutating func assemble() throws -> HTTPRequest {
        let method = request.method ?? (request.body == nil ? profile.defaultMethod ?? .get : .post)
        guard HeaderRules.isToken(method.name) else {
            throw APIError.invalid("method", "the name is not a token (RFC 9110 §9.1)")
        }
        var address = try target()
        let (queryParams, bodyParams) = distribute(method)
        try addQuery(queryParams, to: &address)
        guard address.path.utf8.count + (address.query?.utf8.count ?? 0) <= HTTPAddress.longest else {
            throw APIError.invalid(
                address.query == nil ? "path" : "params", "the address is longer than \(HTTPAddress.longest) bytes; use a body")
        }
        let body = try encodeBody(bodyParams, method: method)
        let headers = try mergedHeaders(contentType: body?.contentType, address: address)
        return HTTPRequest(method: method, address: address, headers: headers, body: body?.data)
    }
}
