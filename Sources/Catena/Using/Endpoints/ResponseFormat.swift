public import CatenaPlatform

/// The way in which the `Response` of an ``Endpoint`` is created from the server's response.
///
/// The type of the `Response` determines the format. An endpoint can define its own:
///
/// ```swift
/// struct Feed: Endpoint {
///     static let format = ResponseFormat { reading in try RSS(reading.response.body) }
///     var path: Path { "/feed.xml" }
/// }
/// ```
public struct ResponseFormat<Response: Sendable>: Sendable {
    let target: ResultDecoder<Response>

    /// Creates a format whose closure returns the value of a successful response.
    public init(_ make: @escaping @Sendable (EnvelopeResult) throws -> Response) {
        self.init(target: ResultDecoder(decoded: nil, making: make))
    }

    init(target: ResultDecoder<Response>) {
        self.target = target
    }
}

extension ResponseFormat where Response: Decodable {
    /// The decoded payload.
    public static var payload: ResponseFormat { ResponseFormat(target: .decodable(Response.self)) }
}

extension ResponseFormat where Response == Data {
    /// The whole body, of any type.
    public static var data: ResponseFormat { ResponseFormat(target: .data) }
}

extension ResponseFormat where Response == String {
    /// The whole body as text.
    public static var text: ResponseFormat { ResponseFormat(target: .string) }
}

extension ResponseFormat where Response == Void {
    /// No value, only the success of the call.
    public static var none: ResponseFormat { ResponseFormat(target: .void) }
}

extension Endpoint where Response: Decodable {
    /// The decoded payload.
    public static var format: ResponseFormat<Response> { .payload }
}

extension Endpoint where Response == Data {
    /// The whole body, of any type.
    public static var format: ResponseFormat<Data> { .data }
}

extension Endpoint where Response == Void {
    /// No value, only the success of the call.
    public static var format: ResponseFormat<Void> { .none }
}

extension Endpoint where Response: ResponseFamily {
    /// The value that the family creates from the response.
    public static var format: ResponseFormat<Response> {
        ResponseFormat(target: .family(Response.self))
    }
}

extension Endpoint where Response: ResponseFamily & Decodable {
    /// The decoded payload, or the error that the family finds in the response.
    public static var format: ResponseFormat<Response> {
        ResponseFormat(target: .decodable(Response.self))
    }
}

extension CallResult {
    /// The value that a format creates from the response: `execute(.format(feed))`.
    public static func format(_ format: ResponseFormat<Value>) -> CallResult {
        CallResult { request, file, line in request.promise(format.target, file, line) }
    }
}
