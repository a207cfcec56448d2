#if os(Linux) && canImport(Glibc)
import CCurl
import CatenaPlatform

extension CurlTransfer {
    /// The whole response, made on the caller's thread to relieve the loop's thread.
    var response: TransportResponse {
        var response = answer(TransportBody(intake.body), isOver: true)
        response.bodyFault = fault
        return response
    }

    private func markOver() {
        guard !isOver else { return }
        isOver = true
        loop.forget(self)
    }

    /// Ends the transfer with an error for its caller.
    func fail(_ error: any Error) {
        guard !isOver else { return }
        markOver()
        if !isRunning { detach() }
        let error = APIError.adding(timings(isOver: true), to: error)
        endUpload()
        intake.finish(throwing: error)
        switch reader.take() {
        case .head(let continuation): continuation.resume(throwing: error)
        case .whole(let continuation, _): wakeCallerLater(continuation, with: .failure(error))
        case nil: break
        }
    }

    private func wakeCallerLater(_ caller: UnsafeContinuation<Void, any Error>, with result: Result<Void, any Error>) {
        sleeper = (caller, result)
        loop.wakes.append(self)
    }

    /// Resumes the task that waits for the whole response.
    func wakeCaller() {
        guard let (caller, result) = sleeper.take() else { return }
        handOver()
        caller.resume(with: result)
    }

    /// Ends the transfer with libcurl's result.
    func complete(code: Int32) {
        if code != 0 { readLeftover() }
        let ending = ending(for: code)
        intake.passOn()
        guard intake.isBehind, failure == nil else { return conclude(ending) }
        // libcurl has finished, but the reader has not.
        self.ending = ending
        endUpload()
        handOverHead()
    }

    private func ending(for code: Int32) -> Result<Void, any Error> {
        if isRedirect { return .success(()) }
        if let failure { return .failure(failure) }
        if code != 0, countsAsWhole(after: CurlCode(rawValue: code)) {
            forbidReuse()
            return .success(())
        }
        if code != 0 { return .failure(CurlFailure.error(CurlOutcome(of: self, code: code))) }
        // To libcurl, a connection that ends inside the head is no error.
        guard head.isComplete else { return .failure(CurlFailure.cutHead) }
        return isCut ? .failure(CurlFailure.cutStream(received)) : .success(())
    }

    /// Records that libcurl closes the connection. If the server violates HTTP/2, libcurl does so without an error, and the stream had no
    /// END_STREAM (RFC 9113 §8.1). Other reasons are known: the server has ended the connection, or the engine has.
    func noteClosing(of socket: Int32, _ poller: Poller) {
        guard isRunning, !isOver, head.isComplete, head.isMultiplexed, hasBody, head.contentLength == nil, goneAway == nil,
            !isConnectionUsedUp
        else { return }
        // The end of the connection may follow the end of TLS in a packet of its own.
        isCut = !poller.isClosedByPeer(socket, within: 50)
    }

    /// Whether the whole response has arrived although libcurl reports a failure.
    private func countsAsWhole(after code: CurlCode?) -> Bool {
        // The bytes that were refused are lost.
        if isPaused { return false }
        return switch code {
        // A complete response counts, whatever the state of the request's body (RFC 9112 §9.5, RFC 9113 §8.1). A chunked body is complete
        // with its last chunk (RFC 9112 §8).
        case .sendFailed, .receiveFailed, .noResponse, .cutBody, .http2Stream, .http2Framing, .abortedByCallback:
            (isWhole && (request.hasBody)) || (head.isComplete && chunks?.hasLastChunk == true)
        default: false
        }
    }

    /// Adds the head of the response to an error about a body that is too long.
    private func naming(_ error: any Error) -> any Error {
        guard var error = error as? APIError, error.kind == .bodyTooLarge, error.status == nil else { return error }
        error.attach(ResponseSummary(status: head.status, headers: HTTPHeaders(head.headers)))
        return error
    }

    func conclude(_ ending: Result<Void, any Error>) {
        do {
            try ending.get()
            if !isRedirect, !intake.isComplete { throw CurlFailure.cutCompression }
        } catch {
            switch reader {
            case .whole where head.isComplete && ErrorBody.isForgiven(error, status: head.status): fault = APIError.wrapping(error)
            default:
                // A reader that waits only for the head receives it and the bytes that arrived, and then the error.
                if head.isComplete { handOverHead() }
                return fail(naming(error))
            }
        }
        markOver()
        endUpload()
        intake.finish()
        switch reader.take() {
        case .head(let continuation): continuation.resume(returning: answer(TransportBody(intake.body), isOver: true))
        case .whole(let continuation, _):
            if hasBody { origin?.noteResponse(length: received) }
            wakeCallerLater(continuation, with: .success(()))
        case nil: break
        }
    }
}
#endif
