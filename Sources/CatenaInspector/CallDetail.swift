import Catena
import Foundation

/// The details of one call, as the page shows them.
struct CallDetail {
    let inspected: InspectedCall
    let contents: InspectedCall.Contents
    let view: CallView
    /// The address and headers that the tag's calls have by default.
    let home: (address: HTTPAddress?, headers: HTTPHeaders)
    /// The last successful call before this one with its tag, method, host and path.
    let previous: InspectedCall?

    private var redaction: Redaction? { view.redaction(of: inspected) }

    func write(into output: inout JSONOutput) {
        output.object { detail in
            detail.key("summary")
            CallRow(inspected, contents, view).write(into: &detail)
            detail.member("redacted", redaction != nil)
            detail.key("attempts")
            detail.array(attempts) { write($1, into: &$0) }
            detail.key("lanes")
            detail.array(lanes) { output, lane in
                output.object { output in
                    output.member("name", lane.name)
                    output.member("start", milliseconds: offset(lane.start))
                    output.member("end", milliseconds: offset(lane.end))
                }
            }
            detail.key("envelope")
            detail.array(envelope) { $0.string($1) }
            detail.key("decisions")
            detail.array(contents.decisions) { $0.string("\($1.part): \(shown($1.words))") }
            detail.key("error")
            write(error: failure, into: &detail)
            let request = contents.latest?.request ?? contents.request
            detail.member("curl", request.map { CurlCommand(redaction: redaction).text($0) })
            let code = CallCode(inspected, contents, redaction, home: home)
            detail.member("swift", code?.call)
            detail.member("stub", code?.stub)
            detail.member("previous", previous.map { Int($0.callID) })
        }
    }

    private func offset(_ time: Duration) -> Double { (time - inspected.start).milliseconds }

    private func shown(_ text: String) -> String { redaction?.redact(text: text) ?? text }

    // MARK: Attempts

    /// The attempts of the call. A response without an attempt, such as a cached one, is shown as one attempt.
    private var attempts: [InspectedCall.Attempt] {
        guard contents.attempts.isEmpty, let request = contents.request, let end = contents.end else { return contents.attempts }
        guard case .success(let response) = end.result else { return [] }
        return [InspectedCall.Attempt(inPlaceOfOne: request, from: contents.made ?? inspected.start, to: end.time, response)]
    }

    private func write(_ attempt: InspectedCall.Attempt, into output: inout JSONOutput) {
        output.object { output in
            output.member("number", attempt.number)
            output.member("start", milliseconds: offset(attempt.start))
            output.member("end", milliseconds: offset(attempt.end ?? contents.end?.time ?? view.now))
            let (outcome, error) = outcome(of: attempt)
            output.member("outcome", outcome)
            output.member("error", error.map(words))
            output.key("phases")
            output.array(phases(of: attempt, error)) { output, phase in
                output.object { output in
                    output.member("name", phase.name)
                    output.member("ms", milliseconds: phase.time.milliseconds)
                }
            }
            output.key("request")
            ShownMessage(attempt.request, size: attempt.requestSize, contents, redaction).write(into: &output)
            output.key("response")
            if let response = attempt.response {
                ShownMessage(response, size: attempt.responseSize, contents, redaction).write(into: &output)
            } else {
                output.null()
            }
            output.key("redirects")
            output.array(redirects(of: attempt)) { output, redirect in
                output.object { output in
                    output.member("status", redirect.status)
                    output.member("from", redirect.from)
                    output.member("to", redirect.to)
                }
            }
        }
    }

    private func outcome(of attempt: InspectedCall.Attempt) -> (String, (any Error)?) {
        if let error = attempt.failure {
            // This attempt was cancelled because another one succeeded.
            if error is CancellationError, case .success = contents.end?.result { return ("lost", nil) }
            return ("failed", error)
        }
        if attempt.response != nil { return ("succeeded", nil) }
        return contents.end == nil ? ("running", nil) : ("failed", failure)
    }

    private func phases(of attempt: InspectedCall.Attempt, _ error: (any Error)?) -> [(name: String, time: Duration)] {
        guard let timings = attempt.response?.timings ?? (error as? APIError)?.timings else { return [] }
        let all = [
            ("queue", timings.queue), ("dns", timings.dns), ("connect", timings.connect), ("tls", timings.tls),
            ("firstByte", timings.firstByte), ("transfer", timings.transfer),
        ]
        return all.compactMap { name, time in time.map { (name, $0) } }
    }

    private func redirects(of attempt: InspectedCall.Attempt) -> [(status: Int, from: String, to: String)] {
        let chain = (attempt.redirects ?? []) + [attempt.response].compactMap { $0 }
        return zip(chain, chain.dropFirst()).map { former, next in
            (former.status, shown(former.address), shown(next.address))
        }
    }

    private func shown(_ address: HTTPAddress) -> String { redaction?.redact(address) ?? address.text }

    // MARK: What the call itself has done

    /// The time spans of the call's stages, of its preparation and of decoding.
    private var lanes: [InspectedCall.Span] {
        var lanes = contents.spans
        let first = contents.made ?? contents.attempts.first?.start ?? contents.end?.time
        if let first { lanes.append(.init("prepare", from: inspected.start, to: first)) }
        // The response is decoded between the end of its attempt and the next event.
        for attempt in contents.attempts {
            guard let end = attempt.end, attempt.response != nil, !contents.isPassedOn else { continue }
            let next = (lanes.map(\.start) + contents.attempts.map(\.start)).filter { $0 > end }.min() ?? contents.end?.time
            if let next { lanes.append(.init("decoding", from: end, to: next)) }
        }
        return lanes.sorted { $0.start < $1.start }
    }

    private var envelope: [String] {
        var response = contents.latest?.response
        if response == nil, case .success(let kept) = contents.end?.result { response = kept }
        guard let response else { return [] }
        if contents.isPassedOn { return ["The body was read piece by piece, without an envelope."] }
        guard !contents.isWithoutBodies, contents.latest?.responseSize == nil else {
            return ["Of the body only the start is kept, so that it cannot be read again."]
        }
        return inspected.explanation(of: response).split(separator: "\n").map(String.init)
    }

    // MARK: What went wrong

    private var failure: (any Error)? {
        if case .failure(let error) = contents.end?.result { error } else { nil }
    }

    private func write(error: (any Error)?, into output: inout JSONOutput) {
        guard let error else { return output.null() }
        let known = error as? APIError
        output.object { output in
            output.member("kind", known?.kind.name ?? (error is CancellationError ? "cancelled" : "other"))
            output.member("code", known.map { shown($0.code.description) } ?? "")
            output.member("message", known.map { shown($0.message) } ?? "")
            output.member("description", shown(known?.errorDescription ?? words(error)))
            output.member("underlying", known?.underlying.map(words))
        }
    }

    private func words(_ error: any Error) -> String {
        if error is CancellationError { return "It was cancelled." }
        if let error = error as? APIError { return redaction == nil ? "\(error.kind) \(error.code): \(error.message)" : error.description }
        // An error of Foundation contains the unredacted URL.
        let cause = error as NSError
        return redaction == nil ? "\(error)" : "\(cause.domain) \(cause.code)"
    }
}
