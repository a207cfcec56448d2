#if os(Linux) && canImport(Glibc)
import CCurl
import Foundation

extension CurlTransfer {
    func receiveLine(_ line: UnsafeRawBufferPointer) -> Bool {
        silence?.noteReceived()
        noteHeard()
        if !head.hasBegun { loop.noteFirstByte(of: self) }
        do throws(ResponseHeadReader.Violation) {
            return try head.read(line) ? headIsComplete() : true
        } catch {
            failure = APIError(.protocolViolation, message: "The response breaks the rules of HTTP: \(error.reason).")
            return false
        }
    }

    private func headIsComplete() -> Bool {
        if case .whole = reader, (300..<400).contains(head.status) {
            isRedirect = RedirectBody.belongs(
                toStatus: head.status, location: head.headers.first { sameHeaderName($0.name, "Location") }?.value)
        }
        if !CurlLibrary.asksBeforeRequests, !isCertificateFit(ofKeptConnection: false) { return false }
        if let seconds = head.keptFor { connection?.idleLimit = seconds * 1_000_000_000 }
        if head.isChunked, hasBody {
            chunks = ChunkEndReader()
            listen()
        }
        do {
            if head.forbidsReuse { try handle?.set(.forbidReuse, 1) }
            if hasBody, head.isEncoded { try intake.begin(HTTPHeaders(head.headers)) }
        } catch {
            failure = error
            return false
        }
        if case .whole(_, let limit) = reader {
            let limit = ErrorBody.limit(limit, status: head.status)
            intake.limit = limit
            let length = hasBody ? head.contentLength ?? 0 : 0
            origin?.noteAnnounced(length: length)
            if intake.isPlain, length > limit {
                failure = TransportBody.tooLarge(limit)
                return false
            }
        }
        if case .head = reader { loop.handOverHeadLater(of: self) }
        if !hasBody || head.contentLength == 0 { noteWhole() }
        // A response that says no ends the sending; libcurl would go on waiting for bytes to send if it does.
        if head.status >= 300, isSendingPaused { loop.resumeSending(self) }
        return true
    }

    /// Gives the head to a reader who waits for just that. Called once all that has arrived is taken in, so that a small response is
    /// handed over whole.
    func handOverHead() {
        guard case .head(let continuation) = reader else { return }
        reader = nil
        let pipe = BodyPipe(
            stop: { [loop, self] in loop.stop(self, with: CancellationError()) },
            resume: { [loop, self] in loop.resume(self) })
        intake.flow(to: pipe)
        continuation.resume(returning: answer(TransportBody(pipe)))
    }

    func answer(_ body: TransportBody, isOver: Bool = false) -> TransportResponse {
        var answer = TransportResponse(status: head.status, headers: HTTPHeaders(head.headers), body: body)
        answer.timings = timings(isOver: isOver)
        return answer
    }

    /// RFC 9110 §6.4.1.
    var hasBody: Bool {
        !isRedirect && request.method != .head && head.status != 204 && head.status != 205 && head.status != 304
    }

    func receiveBytes(_ bytes: UnsafeRawBufferPointer) -> CurlIntake.Outcome {
        if isRedirect, received + Int64(bytes.count) > RedirectBody.limit { return .refused }
        do {
            guard try !hasBody || intake.receive(bytes) else {
                isPaused = true
                return .paused
            }
        } catch {
            failure = error
            return .refused
        }
        silence?.noteReceived()
        noteHeard()
        received += Int64(bytes.count)
        // The last piece comes with the response itself, and of most responses it is the only one.
        let expected = head.isEncoded ? nil : head.contentLength.map { Int64($0) }
        if let meter, received != expected { meter.noteReceived(received, of: expected) }
        if received == head.contentLength { noteWhole() }
        return .taken
    }

    /// Takes bytes as they came from the connection, of a body in chunks.
    func receiveRaw(_ bytes: UnsafeRawBufferPointer) {
        guard head.isComplete, chunks?.isComplete == false else { return }
        chunks?.read(bytes)
        if chunks?.isComplete == true { noteWhole() }
    }

    /// Whether all of the response has arrived, whatever becomes of the request's body.
    var isWhole: Bool {
        head.isComplete && (!hasBody || received == head.contentLength || chunks?.isComplete == true)
    }

    /// Whether bytes that libcurl has read may still be missing of what the loop waits for: the head, or the response to a request that is
    /// being sent.
    var isUnfinished: Bool {
        isRunning && (!head.isComplete || ((request.hasBody) && !isWhole))
    }

    /// Has the loop end the transfer if libcurl does not, since it would go on sending a body that is of no use any more.
    private func noteWhole() {
        if request.hasBody { loop.endWholeLater(self) }
    }

    /// Resumes what has been held back because its reader had not caught up. Gives whether libcurl may deliver more.
    func catchUp() -> Bool {
        guard !isOver else { return false }
        do {
            try intake.unpack()
        } catch {
            loop.stop(self, with: error)
            return false
        }
        guard !intake.isBehind else { return false }
        if let ending { conclude(ending) }
        return !isOver
    }

    /// Notes that libcurl delivers again.
    func willResume() -> Bool {
        defer { isPaused = false }
        return isPaused && !isOver
    }
}
#endif
