#if os(Linux) && canImport(Glibc)
import CCurl
import Foundation

/// One request under way in the engine.
///
/// The proof for `@unchecked Sendable`: until the transfer is handed to the loop only the task that made it touches it, but for `isOwnedByLoop`
/// and `stoppedEarly`, which are the loop's from the beginning; from then on only the loop's thread touches it, on which libcurl's
/// callbacks run too. Handing over goes through the loop's lock. Who waits for the whole is resumed when libcurl has no part in it any more,
/// and from then on nothing is written to.
///
/// `head` and `intake` are touched for each line and piece and not checked for overlapping accesses: what reads a head and takes in a body
/// calls nothing that comes back here, but sends commands to the loop.
final class CurlTransfer: @unchecked Sendable, Expiring {
    private let setup: CurlSetup
    let seat: CurlSeat
    private var handle: CurlHandle?
    /// What libcurl has measured, once it has no part in the transfer any more.
    private var measured: CallTimings?

    private var reader: Reader?
    /// Who is to be woken at the end of this round, and with what.
    private var sleeper: (caller: UnsafeContinuation<Void, any Error>, result: Result<Void, any Error>)?
    @exclusivity(unchecked) private var head = ResponseHeadReader()
    @exclusivity(unchecked) private var intake = CurlIntake(limit: nil)
    private var upload: CurlUpload?
    private var received: Int64 = 0
    private var uses = 0
    private var silence: InactivityWatch?
    private var meter: (any TransferMeter)?
    /// How much of the body of the request libcurl has been given.
    private var sent: Int64 = 0
    private(set) var deadline: TransferDeadline?
    var expiryPlace = -1
    private var isRedirect = false
    /// Why the transfer is to fail, decided in a callback; libcurl's own word for it would be "aborted".
    private var failure: (any Error)?
    /// What is wrong with the body of a response that counts nevertheless.
    private var fault: APIError?
    /// How the transfer has ended for libcurl, while bytes that have arrived still wait for their reader.
    private var ending: Result<Void, any Error>?

    /// Whether the response has been given, or the error, and the body has ended.
    private(set) var isOver = false
    /// Whether the loop has been given the transfer. A caller that is cancelled may stop it before it starts it.
    var isOwnedByLoop = false
    /// Why it was stopped before.
    var stoppedEarly: (any Error)?
    /// Whether libcurl has the handle.
    var isRunning = false
    private let made = ContinuousClock.now
    /// How long the transfer has waited for the loop and for its turn; `nil` while it waits.
    private var queued: Duration?
    /// Whether nothing was written because the kept connection was not fit for it.
    private var isStale = false
    /// Our port of the connection on which the request has been sent last.
    var port: Int?
    /// How many times the request was started again on a connection of its own.
    private var newConnections = 0
    /// Whether body bytes are held back until the reader has caught up.
    private(set) var isPaused = false

    init(_ setup: CurlSetup, _ seat: CurlSeat) throws {
        if setup.takesLong { handle = try CurlHandle(setup, isOnNewConnection: false) }
        self.setup = setup
        self.seat = seat
    }

    var request: HTTPRequest { setup.request }

    var origin: String { setup.origin }

    private var engine: CurlEngine { setup.engine }

    var easy: OpaquePointer? { handle?.easy }

    var loop: CurlLoop { engine.loop }

    /// Makes a handle that can be given to libcurl.
    func attach(to poller: UnsafeMutableRawPointer, sharing sessions: OpaquePointer) throws {
        let handle = try self.handle ?? CurlHandle(setup, isOnNewConnection: newConnections > 0)
        (self.handle, measured) = (handle, nil)
        let context = Unmanaged.passUnretained(self).toOpaque()
        try CurlCallbacks.direct(handle, to: context, poller)
        try handle.set(.sharing, UnsafeRawPointer(sessions))
        if upload != nil { try CurlCallbacks.attachUpload(to: handle, transfer: context) }
    }

    /// Frees the handle; libcurl must not have it any more.
    func detach() {
        measured = timings(isOver: true)
        handle = nil
    }

    /// - Parameter interruption: What may end the transfer. It is not kept, since it keeps the transfer.
    func answer(to reader: Reader, heeding interruption: TransferStopper? = nil) {
        self.reader = reader
        (silence, meter, deadline) = (interruption?.silence, interruption?.meter, interruption?.deadline)
        if case .whole(_, let limit) = reader { intake = CurlIntake(limit: limit) }
        if let source = request.bodySource {
            upload = CurlUpload(
                source,
                onBytes: { [loop = engine.loop, self] in loop.resumeSending(self) },
                onFailure: { [loop = engine.loop, self] error in loop.stop(self, with: error) })
        }
    }

    /// Notes that libcurl gets the handle.
    func willRun() { queued = ContinuousClock.now - made }

    // MARK: Callbacks

    /// Whether the request may be written to this connection.
    ///
    /// libcurl sends a request again, up to five times, if a kept connection turns out to be dead: without a word, and a POST too.
    func mayWrite(fromPort port: Int) -> Bool {
        guard uses == 0 || request.method.isIdempotent else { return refuseToRepeat() }
        if engine.loop.isStale(connectionFromPort: port, for: self) {
            isStale = true
            return false
        }
        guard rewindBody() else { return refuseToRepeat() }
        uses += 1
        return true
    }

    private func refuseToRepeat() -> Bool {
        failure = CurlFailure.mayHaveArrived
        return false
    }

    /// Whether another connection is to be tried after libcurl's result.
    func startsAgain(after code: Int32) -> Bool {
        if isStale {
            isStale = false
            return true
        }
        guard !head.hasBegun, newConnections < Self.mostNewConnections, request.method.isIdempotent else { return false }
        switch code {
        // libcurl gives up when an HTTP/2 connection ends with the request on its way, and after five kept connections that were dead.
        case 16, 55, 92: break
        // A kept connection on which nothing came any more was dead; a new one on which nothing comes is a response of its own.
        case 52, 56: guard let easy, catena_easy_get_long(easy, CurlLibrary.Info.newConnections) == 0 else { return false }
        default: return false
        }
        newConnections += 1
        return true
    }

    /// On how many new connections a request is begun again.
    private static let mostNewConnections = 5

    // MARK: The body of the request

    var isSendingPaused: Bool { upload?.isPaused == true }

    func readBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = upload?.read(into: buffer) ?? CurlLibrary.abortReading
        if count > 0, count <= buffer.count {
            silence?.noteSent()
            sent += Int64(count)
            meter?.noteSent(sent)
        }
        return count
    }

    func rewindBody() -> Bool {
        sent = 0
        return upload?.rewind() ?? true
    }

    /// Notes that libcurl asks for bytes again.
    func willResumeSending() -> Bool { upload?.willResume() == true && !isOver }

    /// Ends the reading, and lets go of what calls back to here.
    private func endUpload() {
        upload?.stop()
        upload = nil
    }

    // MARK: The response

    func receiveLine(_ line: UnsafeRawBufferPointer) -> Bool {
        silence?.noteReceived()
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
            handle?.origin?.noteAnnounced(length: length)
            if intake.isPlain, length > limit {
                failure = TransportBody.tooLarge(limit)
                return false
            }
        }
        if case .head = reader { engine.loop.handOverHeadLater(of: self) }
        // A response that says no ends the sending; libcurl would go on waiting for bytes to send if it does.
        if head.status >= 300, isSendingPaused { engine.loop.resumeSending(self) }
        return true
    }

    /// Gives the head to a reader who waits for just that. Called once all that has arrived is taken in, so that a small response is
    /// handed over whole.
    func handOverHead() {
        guard case .head(let continuation) = reader else { return }
        reader = nil
        let pipe = BodyPipe(
            stop: { [loop = engine.loop, self] in loop.stop(self, with: CancellationError()) },
            resume: { [loop = engine.loop, self] in loop.resume(self) })
        intake.flow(to: pipe)
        continuation.resume(returning: answer(TransportBody(pipe)))
    }

    private func answer(_ body: TransportBody, isOver: Bool = false) -> TransportResponse {
        var answer = TransportResponse(status: head.status, headers: HTTPHeaders(head.headers), body: body)
        answer.timings = timings(isOver: isOver)
        return answer
    }

    private func timings(isOver: Bool) -> CallTimings {
        measured ?? CallTimings(of: easy, queue: queued ?? ContinuousClock.now - made, isOver: isOver)
    }

    /// RFC 9110 §6.4.1.
    private var hasBody: Bool {
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
        received += Int64(bytes.count)
        // The last piece comes with the response itself, and of most responses it is the only one.
        let expected = head.isEncoded ? nil : head.contentLength.map { Int64($0) }
        if let meter, received != expected { meter.noteReceived(received, of: expected) }
        return .taken
    }

    /// Goes on with what has been held back because its reader had not caught up. Gives whether libcurl may deliver more.
    func catchUp() -> Bool {
        guard !isOver else { return false }
        do {
            try intake.unpack()
        } catch {
            engine.loop.stop(self, with: error)
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

    // MARK: Ending

    /// The whole response, for who has waited for it, on the own thread: the loop's has enough to do.
    var response: HTTPResponse {
        var response = HTTPResponse(status: head.status, headers: HTTPHeaders(head.headers), body: intake.body, address: request.address)
        response.timings = timings(isOver: true)
        response.bodyFault = fault
        return response
    }

    private func markOver() {
        guard !isOver else { return }
        isOver = true
        engine.loop.forget(self)
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
        engine.loop.wakeCallerLater(of: self)
    }

    /// Tells who waits for the whole response that it is there, or the error.
    func wakeCaller() {
        guard let (caller, result) = sleeper.take() else { return }
        handOver()
        caller.resume(with: result)
    }

    #if CATENA_TSAN
    /// Of a continuation that is resumed before its task waits, the runtime tells the thread sanitizer nothing: this shows it who comes first.
    private let order = Mutex(())

    func handOver() { order.withLock { _ in } }
    #else
    @inline(__always) func handOver() {}
    #endif

    /// Ends the transfer with libcurl's result.
    func complete(code: Int32) {
        let ending = ending(for: code)
        guard intake.isBehind, failure == nil else { return conclude(ending) }
        // libcurl is done with it, but its reader is not.
        self.ending = ending
        endUpload()
        handOverHead()
    }

    private func ending(for code: Int32) -> Result<Void, any Error> {
        if isRedirect { return .success(()) }
        if let failure { return .failure(failure) }
        if code != 0 {
            return .failure(
                !head.hasBegun && uses > 0 && !request.method.isIdempotent && [16, 55, 56, 92].contains(code)
                    ? CurlFailure.mayHaveArrived
                    : CurlFailure.error(code: code, hasHead: head.isComplete, hasBegun: head.hasBegun, received: received, of: easy))
        }
        // A connection that ends inside the head is no error to libcurl.
        return head.isComplete ? .success(()) : .failure(CurlFailure.cutHead)
    }

    /// Says of which response the body is that is longer than allowed.
    private func naming(_ error: any Error) -> any Error {
        guard var error = error as? APIError, error.kind == .bodyTooLarge, error.status == nil else { return error }
        error.attach(ResponseSummary(status: head.status, headers: HTTPHeaders(head.headers)))
        return error
    }

    private func conclude(_ ending: Result<Void, any Error>) {
        do {
            try ending.get()
            if !isRedirect, !intake.isComplete { throw CurlFailure.cutCompression }
        } catch {
            switch reader {
            case .whole where head.isComplete && ErrorBody.isForgiven(error, status: head.status): fault = APIError.wrapping(error)
            default:
                // Who waits for the head alone gets it and the bytes that came, and finds the error behind them.
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
            if hasBody { handle?.origin?.noteResponse(length: received) }
            wakeCallerLater(continuation, with: .success(()))
        case nil: break
        }
    }
}
#endif
