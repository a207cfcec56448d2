public import Foundation

/// How the value of an ``Endpoint``, its `Response`, comes out of what the server sends.
///
/// It follows from the response's type; an endpoint says it itself where another one is meant:
///
/// ```swift
/// struct Feed: Endpoint {
///     static let format = ResponseFormat { reading in try RSS(reading.response.body) }
///     var path: Path { "/feed.xml" }
/// }
/// ```
public struct ResponseFormat<Response: Sendable>: Sendable {
    let target: ResultDecoder<Response>

    /// A format of your own, made from a response that says success.
    public init(_ make: @escaping @Sendable (EnvelopeResult) throws -> Response) {
        self.init(target: ResultDecoder(decoded: nil, making: make))
    }

    init(target: ResultDecoder<Response>) {
        self.target = target
    }
}

extension ResponseFormat where Response: Decodable {
    /// The payload, decoded.
    public static var payload: ResponseFormat { ResponseFormat(target: .decodable(Response.self)) }
}

extension ResponseFormat where Response == Data {
    /// The whole body, whatever it is.
    public static var data: ResponseFormat { ResponseFormat(target: .data) }
}

extension ResponseFormat where Response == String {
    /// The whole body as text.
    public static var text: ResponseFormat { ResponseFormat(target: .string) }
}

extension ResponseFormat where Response == Void {
    /// Nothing but that the call succeeded.
    public static var none: ResponseFormat { ResponseFormat(target: .void) }
}

extension Endpoint where Response: Decodable {
    /// The payload, decoded.
    public static var format: ResponseFormat<Response> { .payload }
}

extension Endpoint where Response == Data {
    /// The whole body, whatever it is.
    public static var format: ResponseFormat<Data> { .data }
}

extension Endpoint where Response == Void {
    /// Nothing but that the call succeeded.
    public static var format: ResponseFormat<Void> { .none }
}

extension Endpoint where Response: ResponseFamily {
    /// The value that the family makes of the response.
    public static var format: ResponseFormat<Response> {
        ResponseFormat(target: .family(Response.self))
    }
}

extension Endpoint where Response: ResponseFamily & Decodable {
    /// The payload, decoded, or the error that the family finds in the response.
    public static var format: ResponseFormat<Response> {
        ResponseFormat(target: .decodable(Response.self))
    }
}
