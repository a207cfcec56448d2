/// Keeps what an attempt has made of its response already, on the way of the response through the stages.
final class ReceivedPayload: Sendable {
    enum Contents: Sendable {
        case reading(EnvelopeResult)
        /// The body is still to come. It is stopped when nobody holds it.
        case body(BodyReader)
        /// The body is in the file of the download, which is not in its place yet.
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

    /// What the envelope says about this response; `nil` if it has not been read, or has been changed since.
    var reading: EnvelopeResult? {
        guard case .reading(let reading) = received, reading.response.status == status, reading.response.headers == headers
        else { return nil }
        return reading
    }
}

/// What an attempt has brought to the disk.
struct DownloadedBody: Sendable {
    /// The status with which it came; one that is none of success if there was nothing left to send (RFC 9110 §15.5.17).
    let status: Int
    let resumedFrom: Int64
}

extension HTTPResponse {
    /// Takes note of what the tag of its call says of its responses.
    mutating func take(from profile: ResolvedProfile) {
        hide(profile.redaction)
        // What is the same already costs no copy.
        if assumedCharset != profile.charset { assumedCharset = profile.charset }
    }
}
