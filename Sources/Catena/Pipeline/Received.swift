/// What an attempt has made of its answer already; it travels with the answer through the stages.
enum Received: Sendable {
    case reading(ReadingBox)
    /// The body is still to come. It is stopped when nobody holds it.
    case body(BodyReader)
    /// The body is in the file of the download, which is not in its place yet.
    case file(DownloadedBody)

    /// A box, since a reading has the answer in it.
    final class ReadingBox: Sendable {
        let reading: Reading

        init(_ reading: Reading) {
            self.reading = reading
        }
    }
}

extension HTTPResponse {
    var received: Received? {
        get { baggage as? Received }
        set { baggage = newValue }
    }

    /// What the envelope says about this answer; `nil` if it has not been read, or has been changed since.
    var reading: Reading? {
        guard case .reading(let box) = received, box.reading.response.status == status, box.reading.response.headers == headers
        else { return nil }
        return box.reading
    }
}
