public import CatenaPlatform

/// A request as it is sent: merged, encoded and validated.
///
/// A ``Request`` describes a call; an `HTTPRequest` is one request on the wire. ``Request/preview()`` returns it without sending it.
public struct HTTPRequest: Sendable, Equatable {
    /// All members are in one storage, because a call keeps several copies, most of them equal.
    private var contents: CopyOnWrite<HTTPRequestContents>

    /// The method, such as GET.
    public var method: HTTPMethod {
        _read { yield contents.value.method }
        _modify { yield &contents.value.method }
    }
    /// The absolute address, percent-encoded, without a fragment.
    public var address: HTTPAddress {
        _read { yield contents.value.address }
        _modify { yield &contents.value.address }
    }
    /// All header fields.
    public var headers: HTTPHeaders {
        _read { yield contents.value.headers }
        _modify { yield &contents.value.headers }
    }
    /// The bytes of the body, or `nil` if there is no body or if it is read while it is sent.
    public var body: Data? {
        _read { yield contents.value.body }
        _modify { yield &contents.value.body }
    }
    /// The source of a body that is read while it is sent. It is sent instead of ``body``.
    public var bodySource: BodySource? {
        _read { yield contents.value.bodySource }
        _modify { yield &contents.value.bodySource }
    }

    /// The tag's routing to its server, or `nil` if the transport decides.
    package var routing: RequestRouting? {
        get { contents.value.routing }
        set { contents.value.routing = newValue }
    }

    /// The values that the app has set for the call of the request.
    var ownValues: OptionValues {
        get { contents.value.ownValues.values }
        set { contents.value.ownValues.values = newValue }
    }

    /// The value of your own that ``RequestSteps/set(_:_:)-(Key.Type,_)`` has set for the call of the request, or the key's initial value.
    public subscript<Key: OptionKey>(key: Key.Type) -> Key.Value { contents.value.ownValues.values[key] }

    /// The tag's redaction for every description of the request, or `nil` if the tag uses the default redaction.
    package var redaction: Redaction? {
        get { contents.value.redaction }
        set { contents.value.redaction = newValue }
    }

    /// Makes a request, as a transport or an interceptor needs one.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - address: The absolute address.
    ///   - headers: All header fields.
    ///   - body: The bytes of the body, or `nil` if there is none.
    ///   - bodySource: The source of a body that is read while it is sent, used instead of `body`.
    public init(method: HTTPMethod, address: HTTPAddress, headers: HTTPHeaders = [:], body: Data? = nil, bodySource: BodySource? = nil) {
        contents = CopyOnWrite(HTTPRequestContents(method: method, address: address, headers: headers, body: body, bodySource: bodySource))
    }

    /// The number of bytes of the body in memory, 0 if there is none.
    var bodyCount: Int { contents.value.body?.count ?? 0 }

    /// The number of header fields.
    var fieldCount: Int { contents.value.headers.count }

    /// The approximate size of everything except the body, in bytes.
    var headSize: Int { 256 + contents.value.headers.size + contents.value.address.path.utf8.count }

    /// Keeps only the first bytes of the body.
    mutating func cutBody(to limit: Int) { body = body?.start(limit) }

    /// Whether the body can be sent a second time.
    var isReplayable: Bool { bodySource?.isReplayable ?? true }

    /// The address as a `URL`.
    public var url: URL { address.url }
}

/// The members of an ``HTTPRequest``.
///
/// Address and headers hide the same secrets. If one of them is replaced, it takes over what the other one hides.
private struct HTTPRequestContents: Sendable, Equatable {
    var method: HTTPMethod
    private var ownAddress: HTTPAddress
    private var ownHeaders: HTTPHeaders
    var body: Data?
    var bodySource: BodySource?
    var routing: RequestRouting?
    var ownValues = OwnValues()

    init(method: HTTPMethod, address: HTTPAddress, headers: HTTPHeaders, body: Data?, bodySource: BodySource?) {
        self.method = method
        ownAddress = address
        ownHeaders = headers
        self.body = body
        self.bodySource = bodySource
        ownHeaders.shown.take(ownAddress.shown)
        ownAddress.shown.take(ownHeaders.shown)
    }

    var address: HTTPAddress {
        _read { yield ownAddress }
        _modify {
            defer { ownAddress.shown.take(ownHeaders.shown) }
            yield &ownAddress
        }
    }

    var headers: HTTPHeaders {
        _read { yield ownHeaders }
        _modify {
            defer { ownHeaders.shown.take(ownAddress.shown) }
            yield &ownHeaders
        }
    }

    var redaction: Redaction? {
        get { ownHeaders.shown.redaction }
        // Sets both without `address` and `headers`, each of which would restore the redaction of the other.
        set {
            ownHeaders.shown.redaction = newValue
            ownAddress.shown.redaction = newValue
        }
    }
}

extension HTTPRequest: CustomStringConvertible {
    /// The method and the address, without secrets.
    public var description: String { "\(method) \((redaction ?? .current).redact(address))" }
}

extension HTTPRequest {
    package var hasBody: Bool { body != nil || bodySource != nil }

    /// The length of the body in bytes, or `nil` if it is unknown.
    var bodyLength: Int64? { bodySource.map(\.length) ?? body.map { Int64($0.count) } }
}

/// The changes that one of Catena's stages, such as the authentication, made to a request, as distinct from the changes of other code.
struct AddedFields: Sendable {
    let before: HTTPRequest
    let after: HTTPRequest

    var isEmpty: Bool { before.headers == after.headers && before.address.query == after.address.query }

    func changes(_ name: String) -> Bool { before.headers.values(for: name) != after.headers.values(for: name) }

    /// Makes these changes to another request.
    func add(to request: inout HTTPRequest) {
        request.headers.change(as: after.headers, was: before.headers)
        guard after.address.query != before.address.query else { return }
        request.address.changeQuery(as: after.address.query, was: before.address.query)
    }

    /// Reverts these changes in a request that may have been changed further.
    func remove(from request: inout HTTPRequest) {
        for name in Set(after.headers.fields.map(\.name)) where changes(name) {
            let values = after.headers.values(for: name)
            if request.headers.values(for: name) == values { request.headers.replace(name, with: before.headers.values(for: name)) }
        }
        guard after.address.query != before.address.query else { return }
        let added = Set(Self.pairs(of: after)).subtracting(Self.pairs(of: before))
        let kept = Self.pairs(of: request).filter { !added.contains($0) }
        request.address.query = kept.isEmpty ? nil : kept.joined(separator: "&")
    }

    private static func pairs(of request: HTTPRequest) -> [Substring] { (request.address.query ?? "").split(separator: "&") }
}
