public import Foundation

/// A request as it goes out: everything merged, encoded and checked.
///
/// A ``Request`` describes a call, an `HTTPRequest` is one sending of it. ``Request/preview()`` gives it without sending it.
public struct HTTPRequest: Sendable, Equatable {
    public var method: HTTPMethod
    /// The absolute address, percent-encoded, without a fragment.
    public var address: HTTPAddress {
        didSet { if let redaction = headers.shown.redaction { address.shown.redaction = redaction } }
    }
    public var headers: HTTPHeaders {
        didSet { if let redaction = address.shown.redaction { headers.shown.redaction = redaction } }
    }
    /// The bytes of the body; `nil` if there is none, or if it is read while it is sent.
    public var body: Data?
    /// Where the body comes from if it is read while it is sent. It is sent in place of ``body``.
    public var bodySource: BodySource?

    /// What the tag hides that the request is for, wherever parts of it are shown; `nil` if that is what all hide.
    var redaction: Redaction? {
        get { headers.shown.redaction }
        set {
            headers.shown.redaction = newValue
            address.shown.redaction = newValue
        }
    }

    public init(method: HTTPMethod, address: HTTPAddress, headers: HTTPHeaders = [:], body: Data? = nil, bodySource: BodySource? = nil) {
        self.method = method
        self.address = address
        self.headers = headers
        self.body = body
        self.bodySource = bodySource
    }

    /// Whether its body can be sent a second time.
    var isReplayable: Bool { bodySource?.isReplayable ?? true }

    /// Where the request goes.
    public var url: URL { address.url }
}

extension HTTPRequest: CustomStringConvertible {
    /// Method and address, without secrets.
    public var description: String { RequestSummary(self).description }
}
