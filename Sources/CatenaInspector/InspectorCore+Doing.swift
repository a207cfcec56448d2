import Catena
import CatenaArchive
import CatenaLoopback
import CatenaPromise
import Foundation

extension InspectorCore {
    /// The media type of a body without a `Content-Type`.
    private static let unknownType = "application/octet-stream"

    /// Sends a call again with its tag, so that its credential and signature are new. The app does not receive the outcome.
    func again(_ inspected: InspectedCall) throws(Doorkeeper.Refusal) {
        guard case .calls(let client) = subject else { return }
        let contents = inspected.contents
        guard let made = contents.request else { throw .init(status: 409, words: "The request of this call could not be made.") }
        let isWhole = !contents.isWithoutBodies && contents.latest?.requestSize == nil && made.bodySource == nil
        guard isWhole || !made.hasBody && contents.latest?.request.hasBody != true else {
            throw .init(status: 409, words: "The body of this call is not kept, so that it cannot be sent again.")
        }
        if let transform = client.profile(for: inspected.tag).transformBody, Self.changesBody(of: made, transform) {
            throw .init(status: 409, words: "The tag's transformBody has changed the body of this call, so that it cannot be sent again.")
        }
        // Begin the call here, so that `waitUntilIdle()` waits for it once the page has its response.
        let base = client.tag(inspected.tag).envelope(inspected.envelope)
        let outcome: Promise<Data> = Self.copy(of: made, in: base, client.home(of: inspected.tag).headers).execute(.data)
        Task { _ = await outcome.result }
    }

    /// Returns whether the tag would transform a recorded body, which it may have transformed already.
    private static func changesBody(of made: HTTPRequest, _ transform: BodyTransform) -> Bool {
        guard let body = made.body else { return false }
        let type = made.headers["Content-Type"] ?? unknownType
        guard let changed = try? transform(body, type) else { return true }
        return changed.data != body || changed.contentType != type
    }

    /// Returns a request that is assembled to the recorded one and always sent.
    ///
    /// - Parameters:
    ///   - base: A request with the tag and the envelope.
    ///   - inherited: The headers that the tag's calls have by default.
    private static func copy(of made: HTTPRequest, in base: Request, _ inherited: HTTPHeaders) -> Request {
        var headers = made.headers
        // Leave out the idempotency key, because the server would return the earlier call's response.
        headers.remove("Idempotency-Key")
        // A call that sets `Accept` itself does not check the types that its tag accepts.
        if headers["Accept"] == inherited["Accept"] { headers.remove("Accept") }
        // The recorded request has the common values already. With a cache or a shared response, nothing might be sent.
        var request = base.absoluteURL(made.address.text).method(made.method).headers(headers)
            .commonHeaders(.none).commonParams(.none).cache(.never).set(\.dedupe, false)
        if let body = made.body { request = request.body(body, contentType: made.headers["Content-Type"] ?? unknownType) }
        // The call has removed the other headers that it would inherit from its tag or its body.
        for name in inherited.fields.map(\.name) + ["Content-Type"] where !made.headers.contains(name) {
            request = request.header(name, nil)
        }
        return request
    }

    /// Returns the requested calls as a HAR file, or all calls if the request names none.
    func archive(_ request: StubRequest) throws(Doorkeeper.Refusal) -> StubReply {
        var traces = store.calls()
        if let ids = request.query("ids") {
            let wanted = Set(ids.split(separator: ",").compactMap { UInt64($0) })
            traces = traces.filter { wanted.contains($0.callID) }
        }
        let view = view()
        let builder = HTTPArchiveBuilder(redaction: showsSecrets ? nil : .standard)
        let archive = builder.archive(traces.flatMap { Self.recorded($0, view) }, version: API.version)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(archive) else { throw .init(status: 500, words: "The calls could not be written down.") }
        var response = StubReply.json(data)
        response.headers["Content-Disposition"] = "attachment; filename=\"calls.har\""
        return response
    }

    private static func recorded(_ inspected: InspectedCall, _ view: CallView) -> [RecordedCall] {
        let contents = inspected.contents
        guard !contents.attempts.isEmpty else {
            guard let request = contents.request, let end = contents.end else { return [] }
            var call = RecordedCall(request: request, tag: inspected.tag, attempt: 1, started: date(inspected.start, view))
            switch end.result {
            case .success(let response): call.response = response
            case .failure(let error): call = call.failed(with: error)
            }
            call.timings.firstByte = end.time - inspected.start
            return [call]
        }
        return contents.attempts.map { attempt in
            var call = RecordedCall(
                request: attempt.request, tag: inspected.tag, attempt: attempt.number, started: date(attempt.start, view),
                timings: attempt.response?.timings ?? CallTimings(), response: attempt.response)
            if let error = attempt.failure { call = call.failed(with: error) }
            if call.timings.firstByte == nil {
                let end = attempt.end ?? contents.end?.time ?? view.now
                call.timings.firstByte = max(end - attempt.start - call.timings.total, .zero)
            }
            return call.sized(request: attempt.requestSize, response: attempt.responseSize)
        }
    }

    private static func date(_ time: Duration, _ view: CallView) -> Date { Date(timeIntervalSince1970: view.epoch(time) / 1000) }
}
