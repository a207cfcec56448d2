public import Foundation

/// A response: its head, and its body once that has been received.
public struct HTTPResponse: Sendable, Equatable {
    /// Keeps the members, so that whoever keeps or hands on a response has few references to count.
    private var contents: CopyOnWrite<HTTPResponseContents>
    /// Keeps what the receiver has made of the body already, beside the contents, because a call sets it while others share them.
    ///
    /// An interceptor that hands on the response hands it on too. It goes when another body is put in.
    var receivedPayload: (any AnyObject & Sendable)?

    /// The status code, such as 200.
    public var status: Int {
        _read { yield contents.value.status }
        _modify { yield &contents.value.status }
    }
    /// All header fields.
    public var headers: HTTPHeaders {
        _read { yield contents.value.headers }
        _modify { yield &contents.value.headers }
    }
    /// Empty for streams and downloads, whose bodies go elsewhere; what an interceptor puts here takes the stream's place.
    public var body: Data {
        _read { yield contents.value.body }
        _modify {
            receivedPayload = nil
            yield &contents.value.body
        }
    }
    /// The address that the response came from, after redirects.
    public var address: HTTPAddress {
        _read { yield contents.value.address }
        _modify { yield &contents.value.address }
    }
    /// Where the response came from.
    public var source: ResponseSource {
        _read { yield contents.value.source }
        _modify { yield &contents.value.source }
    }
    /// How long the parts of the exchange took, if the transport measures it.
    public var timings: CallTimings? {
        _read { yield contents.value.timings }
        _modify { yield &contents.value.timings }
    }

    /// Whether a redirect has led elsewhere on the way to it, perhaps back again: then nobody was shown the credential.
    var hasLeftOrigin: Bool {
        _read { yield contents.value.hasLeftOrigin }
        _modify { yield &contents.value.hasLeftOrigin }
    }

    /// The execution whose request it answers; `nil` if code on the way has made it, or it was kept.
    var sender: UInt64? {
        _read { yield contents.value.sender }
        _modify { yield &contents.value.sender }
    }
    /// The charset of the body if the headers name none.
    var assumedCharset: String? {
        _read { yield contents.value.assumedCharset }
        _modify { yield &contents.value.assumedCharset }
    }

    /// What was wrong with the body, where the status says that the call has failed all the same.
    var bodyFault: (any Error)? {
        _read { yield contents.value.bodyFault }
        _modify { yield &contents.value.bodyFault }
    }

    /// How long the body is.
    var bodyCount: Int { contents.value.body.count }

    /// About how many bytes the rest takes.
    var headSize: Int { 256 + contents.value.headers.size }

    /// Keeps the first bytes of the body alone.
    mutating func cutBody(to limit: Int) { body = body.start(limit) }

    /// The response alone, for who may keep it.
    var withoutReceivedPayload: HTTPResponse {
        var response = self
        response.receivedPayload = nil
        return response
    }

    /// Makes a response, as an interceptor or a test needs one.
    ///
    /// - Parameters:
    ///   - status: The status code, such as 200.
    ///   - headers: All header fields.
    ///   - body: The bytes of the body.
    ///   - address: The address that the response came from.
    public init(status: Int, headers: HTTPHeaders = [:], body: Data = Data(), address: HTTPAddress) {
        contents = CopyOnWrite(HTTPResponseContents(status: status, headers: headers, body: body, address: address))
    }

    public static func == (left: HTTPResponse, right: HTTPResponse) -> Bool {
        left.status == right.status && left.headers == right.headers && left.body == right.body && left.address == right.address
    }

    /// Whether the status is one of the 2xx (RFC 9110 §15.3).
    public var isSuccess: Bool { (200..<300).contains(status) }
}

/// What an ``HTTPResponse`` is made of.
private struct HTTPResponseContents: Sendable {
    var status: Int
    var headers: HTTPHeaders
    var body: Data
    var address: HTTPAddress
    var source = ResponseSource.network
    var timings: CallTimings?
    var hasLeftOrigin = false
    var sender: UInt64?
    var assumedCharset: String?
    var bodyFault: (any Error)?

    // Not the memberwise one, which makes and copies an argument for each member that is not given.
    init(status: Int, headers: HTTPHeaders, body: Data, address: HTTPAddress) {
        self.status = status
        self.headers = headers
        self.body = body
        self.address = address
    }
}

extension HTTPResponse: CustomStringConvertible {
    /// Takes note of what the tag of its call hides.
    mutating func hide(_ redaction: Redaction?) {
        guard let redaction, headers.shown.redaction !== redaction || address.shown.redaction !== redaction else { return }
        headers.shown.redaction = redaction
        address.shown.redaction = redaction
    }

    /// Status, headers and size, without secrets.
    public var description: String { "\(status) \(headers) \(body.count) bytes" }
}

/// Where a response came from. More may come.
public struct ResponseSource: Hashable, Sendable, CustomStringConvertible {
    /// The name of the source, such as `network`.
    public let name: String

    /// Makes a source from its name.
    public init(_ name: String) {
        self.name = name
    }

    public var description: String { name }

    /// A server, over the network.
    public static let network = ResponseSource("network")
    /// The cache of the tag.
    public static let cache = ResponseSource("cache")
    /// A stub or a recording, in tests.
    public static let stub = ResponseSource("stub")
}
