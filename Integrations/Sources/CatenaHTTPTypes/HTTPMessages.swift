public import Catena
public import Foundation
public import HTTPTypes

// Both modules have an `HTTPRequest` and an `HTTPResponse`, so that their names are qualified.

extension HTTPTypes.HTTPRequest {
    /// Makes a request from the head of a request, without its body.
    ///
    /// - Returns: `nil` if the method or the headers cannot be converted; see ``HTTPTypes/HTTPFields/init(_:)``.
    public init?(_ request: Catena.HTTPRequest) {
        guard let method = Method(request.method), let fields = HTTPFields(request.headers) else { return nil }
        let address = request.address
        self.init(
            method: method, scheme: address.scheme, authority: address.port.map { "\(address.host):\($0)" } ?? address.host,
            path: address.query.map { "\(address.path)?\($0)" } ?? address.path, headerFields: fields)
    }
}

extension Catena.HTTPRequest {
    /// Makes a request from a head and a body.
    ///
    /// - Parameters:
    ///   - request: The head.
    ///   - body: The bytes of the body, or `nil` if there is none.
    /// - Returns: `nil` if the head lacks a scheme, an authority or a path, or if these do not form an http or https address.
    public init?(_ request: HTTPTypes.HTTPRequest, body: Data? = nil) {
        guard let scheme = request.scheme, let authority = request.authority, let path = request.path, path.hasPrefix("/"),
            let address = HTTPAddress("\(scheme)://\(authority)\(path)"),
            // An authority such as `a/b` would become a part of the path.
            !authority.contains(where: { "/?#@".contains($0) })
        else { return nil }
        self.init(method: HTTPMethod(request.method), address: address, headers: HTTPHeaders(request.headerFields), body: body)
    }
}

extension HTTPTypes.HTTPResponse {
    /// Makes a response from the head of a response, without its body.
    ///
    /// - Returns: `nil` if the status does not have three digits, or if the headers cannot be converted.
    public init?(_ response: Catena.HTTPResponse) {
        guard (100...999).contains(response.status), let fields = HTTPFields(response.headers) else { return nil }
        self.init(status: Status(code: response.status), headerFields: fields)
    }
}

extension Catena.HTTPResponse {
    /// Makes a response from a head and a body, for an interceptor to return.
    ///
    /// - Parameters:
    ///   - response: The head.
    ///   - body: The bytes of the body.
    ///   - address: The address that the response came from.
    public init(_ response: HTTPTypes.HTTPResponse, body: Data = Data(), address: HTTPAddress) {
        self.init(status: response.status.code, headers: HTTPHeaders(response.headerFields), body: body, address: address)
    }
}

extension TransportResponse {
    /// Makes a response from a head and a body, for a transport to return.
    ///
    /// - Parameters:
    ///   - response: The head.
    ///   - body: The body, which may still be arriving.
    public init(_ response: HTTPTypes.HTTPResponse, body: TransportBody = TransportBody(Data())) {
        self.init(status: response.status.code, headers: HTTPHeaders(response.headerFields), body: body)
    }
}
