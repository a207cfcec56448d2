public import Foundation

/// An answer: its head, and its body once that has been received.
public struct HTTPResponse: Sendable, Equatable {
    public var status: Int {
        didSet { forgetReading() }
    }
    public var headers: HTTPHeaders {
        didSet { forgetReading() }
    }
    /// Empty for streams and downloads, whose bodies go elsewhere; what an interceptor puts here takes the stream's place.
    public var body: Data {
        didSet { attachment = nil }
    }
    /// The address that answered, after redirects.
    public var address: HTTPAddress
    /// Where the answer came from.
    public var source = ResponseSource.network
    /// How long the parts of the exchange took, where the transport tells.
    public var timings: CallTimings?

    /// Whether a redirect has led elsewhere on the way to it, perhaps back again: then nobody was shown the credential.
    var hasLeftOrigin = false

    /// What was wrong with the body, where the status says that the call has failed all the same.
    var bodyFault: APIError?

    /// What has become of the answer already; what is changed is read again.
    var attachment: Attachment?

    enum Attachment: Sendable {
        case reading(ReadingBox)
        /// The body is still to come.
        case body(BodyReader)
        /// The body is in the file of the download, which is not in its place yet.
        case file(DownloadedBody)
        case download(Download)
    }

    /// A box, since a reading has the answer in it.
    final class ReadingBox: Sendable {
        let reading: Reading

        init(_ reading: Reading) {
            self.reading = reading
        }
    }

    /// For who may keep it: a body that is still to come is stopped when nobody holds it.
    var withoutAttachment: HTTPResponse {
        var response = self
        response.attachment = nil
        return response
    }

    private mutating func forgetReading() {
        if case .reading = attachment { attachment = nil }
    }

    /// Keeps what the envelope says about the answer.
    mutating func attach(_ reading: Reading) {
        attachment = .reading(ReadingBox(reading))
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
