/// The result of an attempt that travels with its response through the stages: the read envelope, the open body or the file.
final class ReceivedPayload: Sendable {
    enum Contents: Sendable {
        case reading(EnvelopeResult)
        /// The body is not received yet. It is stopped once its last reference is released.
        case body(BodyReader)
        /// The body is in the file of the download, which has not been moved to its destination yet.
        case file(DownloadedBody)
    }

    let contents: Contents

    init(_ contents: Contents) {
        self.contents = contents
    }
}

extension HTTPResponse {
    var received: ReceivedPayload.Contents? {
        get { (receivedPayload as? ReceivedPayload)?.contents }
        set { receivedPayload = newValue.map(ReceivedPayload.init) }
    }

    /// The read envelope of this response, or `nil` if it has not been read or has been changed since.
    var reading: EnvelopeResult? {
        guard case .reading(let reading) = received, reading.response.status == status, reading.response.headers == headers
        else { return nil }
        return reading
    }
}

/// The body that an attempt has written to disk.
struct DownloadedBody: Sendable {
    /// The status of the response. It is not a success if there was nothing left to send (RFC 9110 §15.5.17).
    let status: Int
    let resumedFrom: Int64
}

extension HTTPResponse {
    /// Applies the tag's redaction and charset to the response.
    mutating func take(from run: CallRun) {
        hide(run.profile.redaction)
        // Assigned only if it differs, because an assignment copies the response.
        let charset = run.configuration.charset
        if assumedCharset != charset { assumedCharset = charset }
    }
}
