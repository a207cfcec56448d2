import Foundation
import Synchronization

/// Puts together what observers are told of each attempt.
final class CallRecords: Sendable {
    private struct State {
        /// The attempts under way.
        var open: [UInt64: (call: RecordedCall, start: Duration)] = [:]
        /// The calls of which nothing has been recorded yet.
        var unrecorded: Set<UInt64> = []
    }

    private let state = Mutex(State())

    /// An attempt that is over, or a call that ended without one.
    func record(_ event: CallEvent) -> RecordedCall? {
        switch event.kind {
        case .started:
            state.withLock { _ = $0.unrecorded.insert(event.callID) }
            return nil
        case .attempt:
            guard let call = RecordedCall(event) else { return nil }
            state.withLock { $0.open[event.callID] = (call, event.elapsed) }
            return nil
        case .retrying: return nil
        case .answered(let response): return end(event, response, nil)
        case .failed(let error): return end(event, nil, error)
        case .finished(.success(let response)): return finish(event, response, nil)
        case .finished(.failure(let error)): return finish(event, nil, error)
        }
    }

    private func end(_ event: CallEvent, _ response: HTTPResponse?, _ error: (any Error)?) -> RecordedCall? {
        let begun = state.withLock { state in
            state.unrecorded.remove(event.callID)
            return state.open.removeValue(forKey: event.callID)
        }
        return begun?.call.ended(response, error, after: event.elapsed - (begun?.start ?? .zero))
    }

    private func finish(_ event: CallEvent, _ response: HTTPResponse?, _ error: (any Error)?) -> RecordedCall? {
        let (begun, isUnrecorded) = state.withLock { state in
            (state.open.removeValue(forKey: event.callID), state.unrecorded.remove(event.callID) != nil)
        }
        // One that was under way when the call was cancelled or late.
        if let begun { return begun.call.ended(response, error, after: event.elapsed - begun.start) }
        return isUnrecorded ? RecordedCall(event)?.ended(response, error, after: event.elapsed) : nil
    }
}

extension RecordedCall {
    fileprivate init?(_ event: CallEvent) {
        guard let request = event.request else { return nil }
        self.init(request: request, tag: event.tag, attempt: max(event.attempt, 1), started: event.date)
    }

    fileprivate func ended(_ response: HTTPResponse?, _ error: (any Error)?, after time: Duration) -> RecordedCall {
        var call = self
        call.response = response
        call.error = error.map(APIError.wrapping)
        if let head = call.error?.response {
            call.response = HTTPResponse(
                status: head.status, headers: head.headers, body: call.error?.body ?? Data(), address: request.address)
        }
        if let timings = response?.timings ?? call.error?.timings { call.timings = timings }
        // Where the transport does not tell, or never had a first byte, there is only the rest.
        if call.timings.firstByte == nil { call.timings.firstByte = max(time - call.timings.total, .zero) }
        return call
    }
}
