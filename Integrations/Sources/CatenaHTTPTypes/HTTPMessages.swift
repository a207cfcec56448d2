public import Catena
public import Foundation
public import HTTPTypes

// Both modules have an `HTTPRequest` and an `HTTPResponse`: where both are imported, the name of the module goes before that of the type.

extension HTTPTypes.HTTPRequest {
    /// The head of a request; its body is not part of it.
    ///
    /// - Returns: `nil` if the method or the headers have no form here, as described at ``HTTPTypes/HTTPFields/init(_:)``.
    public init?(_ request: Catena.HTTPRequest) {
        guard let method = Method(request.method), let fields = HTTPFields(request.headers) else { return nil }
        let address = request.address
        self.init(
            method: method, scheme: address.scheme, authority: address.port.map { "\(address.host):\($0)" } ?? address.host,
            path: address.query.map { "\(address.path)?\($0)" } ?? address.path, headerFields: fields)
    }
}

extension Catena.HTTPRequest {
    /// A request with a head and a body.
    ///
    /// - Parameters:
    ///   - request: The head.
    ///   - body: The bytes of the body; `nil` if there is none.
    /// - Returns: `nil` if the head has no scheme, authority or path, or they are not those of an http or https address.
    public init?(_ request: HTTPTypes.HTTPRequest, body: Data? = nil) {
        guard let scheme = request.scheme, let authority = request.authority, let path = request.path, path.hasPrefix("/"),
            let address = HTTPAddress("\(scheme)://\(authority)\(path)"),
            // An authority such as `a/b` would have become a part of the path.
            !authority.contains(where: { "/?#@".contains($0) })
        else { return nil }
        self.init(method: HTTPMethod(request.method), address: address, headers: HTTPHeaders(request.headerFields), body: body)
    }
}

extension HTTPTypes.HTTPResponse {
    /// The head of a response; its body is not part of it.
    ///
    /// - Returns: `nil` if the status is not one of three digits, or the headers have no form here.
    public init?(_ response: Catena.HTTPResponse) {
        guard (100...999).contains(response.status), let fields = HTTPFields(response.headers) else { return nil }
        self.init(status: Status(code: response.status), headerFields: fields)
    }
}

extension Catena.HTTPResponse {
    /// A response with a head and a body, as an interceptor returns it.
    ///
    /// - Parameters:
    ///   - response: The head.
    ///   - body: The bytes of the body.
    ///   - address: The address that answered.
    public init(_ response: HTTPTypes.HTTPResponse, body: Data = Data(), address: HTTPAddress) {
        self.init(status: response.status.code, headers: HTTPHeaders(response.headerFields), body: body, address: address)
    }
}

extension TransportResponse {
    /// A response with a head and a body, as a transport returns it.
    ///
    /// - Parameters:
    ///   - response: The head.
    ///   - body: The body, which may still be on its way.
    public init(_ response: HTTPTypes.HTTPResponse, body: TransportBody = TransportBody(Data())) {
        self.init(status: response.status.code, headers: HTTPHeaders(response.headerFields), body: body)
    }
}
