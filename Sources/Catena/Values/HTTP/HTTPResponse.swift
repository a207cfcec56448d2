public import CatenaPlatform

/// A response: its head, and its body once received.
public struct HTTPResponse: Sendable, Equatable {
    /// All members are in one storage, so that copying a response counts few references.
    private var contents: CopyOnWrite<HTTPResponseContents>
    /// The parsed envelope, open body or file of this response. Stored outside `contents`, because a call sets it while others share the
    /// contents.
    ///
    /// Interceptors that pass the response on keep it. Setting another body removes it.
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
    /// The bytes of the body. Empty for streams and downloads; a body set by an interceptor replaces the stream.
    public var body: Data {
        _read { yield contents.value.body }
        _modify {
            receivedPayload = nil
            yield &contents.value.body
        }
    }
    /// The address of the response, after redirects.
    public var address: HTTPAddress {
        _read { yield contents.value.address }
        _modify { yield &contents.value.address }
    }
    /// The source of the response.
    public var source: ResponseSource {
        _read { yield contents.value.source }
        _modify { yield &contents.value.source }
    }
    /// The reason why a cached response was used, or `nil` if the response is not from the cache.
    public internal(set) var freshness: ResponseFreshness? {
        _read { yield contents.value.freshness }
        _modify { yield &contents.value.freshness }
    }
    /// The durations of the exchange's phases, if the transport measures them.
    public var timings: CallTimings? {
        _read { yield contents.value.timings }
        _modify { yield &contents.value.timings }
    }

    /// The redirects that led to the response, or `nil` if none did.
    var redirection: Redirection? {
        _read { yield contents.value.redirection }
        _modify { yield &contents.value.redirection }
    }

    /// The run that sent the request, or `nil` if other code made the response or it was cached.
    var sender: UInt64? {
        _read { yield contents.value.sender }
        _modify { yield &contents.value.sender }
    }
    /// The charset of the body if the headers name none.
    var assumedCharset: String? {
        _read { yield contents.value.assumedCharset }
        _modify { yield &contents.value.assumedCharset }
    }

    /// The fault of the body of an error response, whose status is reported nevertheless.
    package var bodyFault: (any Error)? {
        _read { yield contents.value.bodyFault }
        _modify { yield &contents.value.bodyFault }
    }

    /// The number of bytes of the body.
    var bodyCount: Int { contents.value.body.count }

    /// The approximate size of everything except the body, in bytes.
    var headSize: Int { 256 + contents.value.headers.size }

    /// Keeps only the first bytes of the body.
    mutating func cutBody(to limit: Int) { body = body.start(limit) }

    /// The response without its received payload, for storing or sharing.
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
    ///   - address: The address of the response.
    public init(status: Int, headers: HTTPHeaders = [:], body: Data = Data(), address: HTTPAddress) {
        contents = CopyOnWrite(HTTPResponseContents(status: status, headers: headers, body: body, address: address))
    }

    public static func == (left: HTTPResponse, right: HTTPResponse) -> Bool {
        left.status == right.status && left.headers == right.headers && left.body == right.body && left.address == right.address
    }

    /// Whether the status is 2xx (RFC 9110 §15.3).
    public var isSuccess: Bool { Self.isSuccess(status) }

    /// Returns whether a status is 2xx.
    static func isSuccess(_ status: Int) -> Bool { (200..<300).contains(status) }
}

/// The changes that redirects have made on the way to a response.
struct Redirection: Sendable {
    /// Whether one led to another origin, perhaps and back. The server of the response then never received the credential.
    var hasLeftOrigin = false
    /// Whether one changed the method. The server has then answered the request itself, and may have carried it out.
    var hasChangedMethod = false
}

/// The members of an ``HTTPResponse``.
private struct HTTPResponseContents: Sendable {
    var status: Int
    var headers: HTTPHeaders
    var body: Data
    var address: HTTPAddress
    var source = ResponseSource.network
    var freshness: ResponseFreshness?
    var timings: CallTimings?
    var redirection: Redirection?
    var sender: UInt64?
    var assumedCharset: String?
    var bodyFault: (any Error)?

    // Unlike the memberwise initializer, this one makes and copies no argument for members with a default.
    init(status: Int, headers: HTTPHeaders, body: Data, address: HTTPAddress) {
        self.status = status
        self.headers = headers
        self.body = body
        self.address = address
    }
}

extension HTTPResponse: CustomStringConvertible {
    /// Sets the redaction of the call's tag. The headers hide what the address hides.
    mutating func hide(_ redaction: Redaction?) {
        if !address.shown.secretParts.isEmpty { headers.shown.take(address.shown) }
        guard let redaction, headers.shown.redaction !== redaction || address.shown.redaction !== redaction else { return }
        headers.shown.redaction = redaction
        address.shown.redaction = redaction
    }

    /// The status, the headers and the size of the body, without secrets.
    public var description: String { "\(status) \(headers) \(body.count) bytes" }
}

/// The source of a response. Later versions may add sources.
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

/// The reason why a response from the cache was used.
public enum ResponseFreshness: String, Sendable, CustomStringConvertible {
    /// The time for which the policy uses a response without asking the server had not passed. With ``CachePolicy/protocol`` the server states it.
    case fresh
    /// The server has confirmed the response with status 304.
    case revalidated
    /// The time had passed, and the response was used nevertheless: while it was refreshed, in place of a failure, or because the call allows it.
    case stale

    public var description: String { rawValue }
}
