public import Foundation

/// Turns params into what goes out, in place of Catena's own encoders: ``ParameterEncoding/custom(_:)``.
///
/// Both methods have a default. An encoder that has only `query` also writes forms its way; one that has only `body` leaves queries alone.
///
/// ```swift
/// struct Sealed: ParameterEncoder {
///     func body(_ params: Params, style: ParameterStyle) throws -> (data: Data, contentType: String) {
///         (try seal(JSON(params)), "application/octet-stream")
///     }
/// }
/// API.configure(.wallet) { $0.encoding = .custom(Sealed()) }
/// ```
public protocol ParameterEncoder: Sendable {
    /// The query string, percent-encoded and without a question mark; what an address cannot hold is encoded afterwards.
    func query(_ params: Params, style: ParameterStyle) throws -> String

    /// The body and its content type.
    func body(_ params: Params, style: ParameterStyle) throws -> (data: Data, contentType: String)
}

extension ParameterEncoder {
    public func query(_ params: Params, style: ParameterStyle) throws -> String {
        try URLQueryEncoder.encode(params, style: style)
    }

    public func body(_ params: Params, style: ParameterStyle) throws -> (data: Data, contentType: String) {
        (Data(try query(params, style: style).utf8), "application/x-www-form-urlencoded")
    }
}
