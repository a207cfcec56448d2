#if os(Linux) && canImport(Glibc)
import CCurl
import CatenaPlatform

extension CurlTransfer {
    func receiveLine(_ line: UnsafeRawBufferPointer) -> Bool {
        inactivity?.noteReceived()
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
            if head.forbidsReuse { forbidReuse() }
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
            intake.expect(length)
            if length >= Self.leastReadAhead { readAhead() }
        }
        if case .head = reader { loop.heads.append(self) }
        if !hasBody || head.contentLength == 0 { noteWhole() }
        // A response with such a status ends the sending. libcurl would continue to wait for bytes to send.
        if head.status >= 300, isSendingPaused { loop.resumeSending(self) }
        return true
    }

    /// The length of a body from which on it takes several records of TLS, for which two reads each are too many.
    private static let leastReadAhead = 48 << 10

    /// Makes TLS read several records at once, until the end of the body. Each record then brings bytes, so the loop asks for all that are read.
    private func readAhead() {
        // Without a known connection, the loop would not ask for what has been read.
        guard isOverTLS, !head.isChunked, !request.hasBody, connection != nil, let easy else { return }
        readsAhead = catena_easy_read_ahead(easy, true)
        // With the first byte, the loop has noted the transfers that may use HTTP/2.
        if readsAhead, !mayUseHTTP2 { loop.unfinished.append(self) }
    }

    /// Whether the response comes over HTTP/1.1 and TLS.
    private var isOverTLS: Bool { request.address.scheme == "https" && !head.isMultiplexed }

    /// Ends the connection with this response if TLS has read bytes behind it. They wake no socket, and would pass for the next response.
    private func leaveWhatFollows() {
        guard isOverTLS, let easy else { return }
        if readsAhead { readsAhead = catena_easy_read_ahead(easy, false) }
        if catena_easy_has_unread(easy) { forbidReuse() }
    }

    /// Delivers the head to a reader that waits only for it. Called after all received bytes are read, so that a small response is
    /// delivered whole.
    func handOverHead() {
        guard case .head(let continuation) = reader else { return }
        reader = nil
        // The reader of the body knows when it waits, and watches it from here on.
        inactivity = nil
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

    /// Whether the response has a body (RFC 9110 §6.4.1).
    var hasBody: Bool {
        !isRedirect && request.method != .head && head.status != 204 && head.status != 205 && head.status != 304
    }

    func receiveBytes(_ bytes: UnsafeRawBufferPointer) -> CurlIntake.Outcome {
        if isRedirect, received + Int64(bytes.count) > RedirectBody.limit { return .refused }
        guard turn.takes(bytes.count, atMost: isRepeating ? .max : mostInTurn, in: loop.rounds) else {
            isPaused = true
            loop.round.turned.append(self)
            return .paused
        }
        let wasFlowing = intake.isFlowing
        do {
            guard try !hasBody || intake.receive(bytes, isRepeated: isRepeating) else {
                isPaused = true
                loop.pauseLater(self)
                return .paused
            }
        } catch {
            failure = error
            return .refused
        }
        if !wasFlowing, intake.isFlowing { loop.round.flowing.append(self) }
        inactivity?.noteReceived()
        noteHeard()
        received += Int64(bytes.count)
        // Do not report the last piece, because it arrives with the response itself. Most responses have only this piece.
        let expected = head.isEncoded ? nil : head.contentLength.map { Int64($0) }
        if let meter, received != expected { meter.noteReceived(received, of: expected) }
        // The end of a body in chunks is known before its bytes, which may have been refused.
        if received == head.contentLength || (isRepeating && isWhole) { noteWhole() }
        return .taken
    }

    /// The number of bytes to receive before the other transfers of the loop have their turn.
    private var mostInTurn: Int {
        // The streams of a connection pass through libcurl together. While libcurl sends a body, it may end the transfer at once.
        if head.isMultiplexed || (request.hasBody && !isSent) { return .max }
        // The bodies of ordinary calls end soon, and pausing them costs more than it gives.
        guard intake.isPiped else { return CurlTurn.longest }
        return loop.hasCommands ? 0 : loop.running > 1 ? CurlTurn.besideOthers : CurlTurn.longest
    }

    /// Reads the raw bytes of a chunked body from the connection.
    func receiveRaw(_ bytes: UnsafeRawBufferPointer) {
        guard head.isComplete, chunks?.isComplete == false else { return }
        chunks?.read(bytes)
        if chunks?.isComplete == true { noteWhole() }
    }

    /// Whether the whole response has arrived, whatever the state of the request's body.
    var isWhole: Bool {
        head.isComplete && (!hasBody || received == head.contentLength || chunks?.isComplete == true)
    }

    /// The result of libcurl for a connection that its peer ends now.
    var codeAtEnd: Int32 {
        guard head.hasBegun else { return CurlCode.noResponse.rawValue }
        // A body without a length ends with the connection (RFC 9112 §6.3). The end of an incomplete head is noticed later.
        let isFramed = head.isComplete && (head.contentLength != nil || head.isChunked)
        return isFramed && !isWhole ? CurlCode.cutBody.rawValue : 0
    }

    /// Whether bytes that libcurl or TLS has already read may continue the response: its head, its body over HTTP/2 or that TLS reads ahead, or its body
    /// during an upload.
    var isUnfinished: Bool {
        isRunning && (!head.isComplete || head.isMultiplexed || readsAhead || (request.hasBody && !isWhole))
    }

    /// Lets the loop end the transfer, because libcurl would continue to send a body that the server no longer needs.
    private func noteWhole() {
        // The body of a redirect may follow, although no caller receives it.
        if !isRedirect || received == head.contentLength { leaveWhatFollows() }
        if request.hasBody { loop.round.whole.append(self) }
    }

    /// Continues with the bytes that waited for the reader. Returns whether libcurl may deliver more.
    func catchUp() -> Bool {
        guard !isOver else { return false }
        do {
            try intake.catchUp()
        } catch {
            loop.stop(self, with: error)
            return false
        }
        guard !intake.isBehind else { return false }
        if let ending { conclude(ending) }
        return !isOver
    }

    /// Records that libcurl delivers again, and returns whether it may.
    func willResume() -> Bool {
        defer { isPaused = false }
        return isPaused && !isOver
    }
}
#endif
