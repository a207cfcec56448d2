public import Foundation

/// A request as it goes out: everything merged, encoded and checked.
///
/// A ``Request`` describes a call, an `HTTPRequest` is one sending of it. ``Request/preview()`` gives it without sending it.
public struct HTTPRequest: Sendable, Equatable {
    /// Everything is in here: a call keeps several requests, most of them the same one.
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
    /// The bytes of the body; `nil` if there is none, or if it is read while it is sent.
    public var body: Data? {
        _read { yield contents.value.body }
        _modify { yield &contents.value.body }
    }
    /// Where the body comes from if it is read while it is sent. It is sent in place of ``body``.
    public var bodySource: BodySource? {
        _read { yield contents.value.bodySource }
        _modify { yield &contents.value.bodySource }
    }

    /// How the tag has it reach its server; `nil` if that is left to the transport.
    var routing: RequestRouting? {
        get { contents.value.routing }
        set { contents.value.routing = newValue }
    }

    /// What the tag hides that the request is for, wherever parts of it are shown; `nil` if that is what all hide.
    var redaction: Redaction? {
        get { headers.shown.redaction }
        set {
            headers.shown.redaction = newValue
            address.shown.redaction = newValue
        }
    }

    /// Makes a request as a transport or an interceptor takes it.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - address: The absolute address.
    ///   - headers: All header fields.
    ///   - body: The bytes of the body; `nil` if there is none.
    ///   - bodySource: What the body is read from while it is sent, in place of `body`.
    public init(method: HTTPMethod, address: HTTPAddress, headers: HTTPHeaders = [:], body: Data? = nil, bodySource: BodySource? = nil) {
        contents = CopyOnWrite(HTTPRequestContents(method: method, address: address, headers: headers, body: body, bodySource: bodySource))
    }

    /// How long the body is that is here; 0 if there is none.
    var bodyCount: Int { contents.value.body?.count ?? 0 }

    /// How many header fields there are.
    var fieldCount: Int { contents.value.headers.count }

    /// About how many bytes the rest takes.
    var headSize: Int { 256 + contents.value.headers.size + contents.value.address.path.utf8.count }

    /// Keeps the first bytes of the body alone.
    mutating func cutBody(to limit: Int) { body = body?.start(limit) }

    /// Whether its body can be sent a second time.
    var isReplayable: Bool { bodySource?.isReplayable ?? true }

    /// Where the request goes.
    public var url: URL { address.url }
}

/// What an ``HTTPRequest`` is made of.
private struct HTTPRequestContents: Sendable, Equatable {
    var method: HTTPMethod
    var address: HTTPAddress {
        didSet { if let redaction = headers.shown.redaction { address.shown.redaction = redaction } }
    }
    var headers: HTTPHeaders {
        didSet { if let redaction = address.shown.redaction { headers.shown.redaction = redaction } }
    }
    var body: Data?
    var bodySource: BodySource?
    var routing: RequestRouting?
}

extension HTTPRequest: CustomStringConvertible {
    /// Method and address, without secrets.
    public var description: String { "\(method) \((redaction ?? .current).redact(address))" }
}

extension HTTPRequest {
    package var hasBody: Bool { body != nil || bodySource != nil }

    /// The length of the body in bytes; `nil` if it is not known.
    var bodyLength: Int64? { bodySource.map(\.length) ?? body.map { Int64($0.count) } }
}

/// What a stage of Catena's own, such as the one of the credential, has changed in a request: told from what others have put in.
struct AddedFields: Sendable {
    let before: HTTPRequest
    let after: HTTPRequest

    var isEmpty: Bool { before.headers == after.headers && before.address.query == after.address.query }

    func changes(_ name: String) -> Bool { before.headers.values(for: name) != after.headers.values(for: name) }

    /// Adds the same to another request.
    func add(to request: inout HTTPRequest) {
        request.headers.change(as: after.headers, was: before.headers)
        guard after.address.query != before.address.query else { return }
        let (former, present) = (Self.pairs(of: before), Self.pairs(of: after))
        let kept = Self.pairs(of: request).filter { present.contains($0) || !former.contains($0) }
        Self.set(kept + present.filter { !former.contains($0) }, of: &request)
    }

    /// Takes it out of a request that may have been changed since.
    func remove(from request: inout HTTPRequest) {
        for name in Set(after.headers.fields.map(\.name)) where changes(name) {
            let values = after.headers.values(for: name)
            if request.headers.values(for: name) == values { request.headers.replace(name, with: before.headers.values(for: name)) }
        }
        guard after.address.query != before.address.query else { return }
        let added = Set(Self.pairs(of: after)).subtracting(Self.pairs(of: before))
        Self.set(Self.pairs(of: request).filter { !added.contains($0) }, of: &request)
    }

    private static func pairs(of request: HTTPRequest) -> [Substring] { (request.address.query ?? "").split(separator: "&") }

    private static func set(_ pairs: [Substring], of request: inout HTTPRequest) {
        request.address.query = pairs.isEmpty ? nil : pairs.joined(separator: "&")
    }
}
