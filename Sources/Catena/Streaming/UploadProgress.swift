import Foundation

extension HTTPRequest {
    /// Bodies in memory that are shorter are told of at their beginning and at their end only.
    private static let shortest = 64 * 1024

    var hasBody: Bool { body != nil || bodySource != nil }

    /// `nil` if it is not known.
    var bodyLength: Int64? { bodySource.map(\.length) ?? body.map { Int64($0.count) } }

    /// The request with a long body in memory handed over in pieces.
    var inPieces: HTTPRequest {
        guard let body, body.count > Self.shortest else { return self }
        var request = self
        request.body = nil
        request.bodySource = BodySource(body)
        return request
    }

    /// The request, telling how much of its body has been sent.
    ///
    /// - Parameter splits: Whether a body in memory may be handed over in pieces, which a transport of a test's own need not know.
    func telling(_ progress: ProgressReporter?, splits: Bool) -> HTTPRequest {
        guard let progress, hasBody else { return self }
        progress.note(.upload, 0, of: bodyLength)
        var request = splits ? inPieces : self
        request.bodySource?.onSent = { sent, total in progress.note(.upload, sent, of: total) }
        return request
    }
}
