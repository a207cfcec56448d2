public import Foundation

/// A response: its head, and its body once that has been received.
public struct HTTPResponse: Sendable, Equatable {
    public var status: Int
    public var headers: HTTPHeaders
    /// Empty for streams and downloads, whose bodies go elsewhere; what an interceptor puts here takes the stream's place.
    public var body: Data {
        didSet { baggage = nil }
    }
    /// The address that answered, after redirects.
    public var address: HTTPAddress
    /// Where the response came from.
    public var source = ResponseSource.network
    /// How long the parts of the exchange took, where the transport tells.
    public var timings: CallTimings?

    /// Whether a redirect has led elsewhere on the way to it, perhaps back again: then nobody was shown the credential.
    var hasLeftOrigin = false

    /// The execution whose request it answers; `nil` if code on the way has made it, or it was kept.
    var sender: UInt64?
    /// The charset of the body if the headers name none.
    var assumedCharset: String?

    /// What was wrong with the body, where the status says that the call has failed all the same.
    var bodyFault: (any Error)?

    /// What its receiver has made of it already, for whoever takes it on; nothing is known of that here. An interceptor that hands on the
    /// response hands it on too; it is about the body, and goes when another one is put in.
    package var baggage: (any Sendable)?

    /// The response alone, for who may keep it.
    var withoutBaggage: HTTPResponse {
        var response = self
        response.baggage = nil
        return response
    }

    public init(status: Int, headers: HTTPHeaders = [:], body: Data = Data(), address: HTTPAddress) {
        self.status = status
        self.headers = headers
        self.body = body
        self.address = address
    }

    public static func == (left: HTTPResponse, right: HTTPResponse) -> Bool {
        left.status == right.status && left.headers == right.headers && left.body == right.body && left.address == right.address
    }

    /// Whether the status is one of the 2xx (RFC 9110 §15.3).
    public var isSuccess: Bool { (200..<300).contains(status) }
}

extension HTTPResponse: CustomStringConvertible {
    /// Takes note of what the tag of its call hides.
    mutating func hide(_ redaction: Redaction?) {
        guard let redaction else { return }
        headers.shown.redaction = redaction
        address.shown.redaction = redaction
    }

    /// Status, headers and size, without secrets.
    public var description: String { "\(status) \(headers) \(body.count) bytes" }
}

/// Where a response came from. More may come.
public struct ResponseSource: Hashable, Sendable, CustomStringConvertible {
    public let name: String

    public init(_ name: String) {
        self.name = name
    }

    public var description: String { name }

    public static let network = ResponseSource("network")
    public static let cache = ResponseSource("cache")
    public static let stub = ResponseSource("stub")
}
