public import Foundation

/// An answer: its head, and its body once that has been received.
public struct HTTPResponse: Sendable, Equatable {
    public var status: Int
    public var headers: HTTPHeaders
    public var body: Data
    /// The address that answered, after redirects.
    public var address: HTTPAddress

    public init(status: Int, headers: HTTPHeaders = [:], body: Data = Data(), address: HTTPAddress) {
        self.status = status
        self.headers = headers
        self.body = body
        self.address = address
    }

    /// Whether the status is one of the 2xx (RFC 9110 §15.3).
    public var isSuccess: Bool { (200..<300).contains(status) }
}

extension HTTPResponse: CustomStringConvertible {
    /// Status, headers and size, without secrets.
    public var description: String { "\(status) \(headers) \(body.count) bytes" }
}
