#if os(Linux)
import CCurl
import Foundation

/// One request under way in the engine.
///
/// The proof for `@unchecked Sendable`: until the transfer is handed to the loop only the task that made it touches it, but for `isOurs`
/// and `stoppedEarly`, which are the loop's from the beginning; from then on only the loop's thread touches it, on which libcurl's
/// callbacks run too. Handing over goes through the loop's lock.
final class CurlTransfer: @unchecked Sendable {
    /// Who waits for the answer, and for how much of it.
    enum Reader {
        case head(UnsafeContinuation<TransportResponse, any Error>)
        case whole(UnsafeContinuation<HTTPResponse, any Error>, limit: Int)
    }

    let request: HTTPRequest
    let origin: String
    private var handle: CurlHandle?
    private let engine: CurlEngine

    private var reader: Reader?
    private var head = ResponseHeadReader()
    private var decoder: ContentDecoder?
    private var body = Data()
    private var pipe: BodyPipe?
    private var upload: CurlUpload?
    private var limit = Int.max
    private var received: Int64 = 0
    private var uses = 0
    private var silence: Silence?
    private var isRedirect = false
    /// Why the transfer is to fail, decided in a callback; libcurl's own word for it would be "aborted".
    private var failure: (any Error)?

    /// Whether the answer has been given, or the error.
    private(set) var isOver = false
    /// Whether the loop has been given the transfer. A caller that is cancelled may stop it before it starts it.
    var isOurs = false
    /// Why it was stopped before.
    var stoppedEarly: (any Error)?
    /// Whether libcurl has the handle.
    var isRunning = false
    private let made = ContinuousClock.now
    /// How long the transfer has waited for the loop and for its turn.
    private var queued = Duration.zero
    /// Whether nothing was written because the kept connection was not fit for it.
    private var isStale = false
    /// How many times the request was started again on a connection of its own.
    private var newConnections = 0
    /// Whether body bytes are held back until the reader has caught up.
    private(set) var isPaused = false

    init(_ request: HTTPRequest, on engine: CurlEngine) throws {
        guard let handle = engine.handles.take(for: request) else {
            throw APIError(.connect, message: "There is no memory for another transfer.")
        }
        self.request = request
        self.handle = handle
        self.engine = engine
        origin = request.address.origin
    }

    deinit {
        release()
    }

    var easy: OpaquePointer? { handle?.easy }

    /// Gives libcurl's handle back.
    func release() {
        if let handle = handle.take() { engine.handles.giveBack(handle) }
    }

    func answer(to reader: Reader, telling silence: Silence? = nil) {
        self.reader = reader
        self.silence = silence
        if case .whole(_, let limit) = reader { self.limit = limit }
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
        if engine.loop.isStale(connectionFromPort: port) {
            isStale = true
            return false
        }
        guard rewindBody() else { return refuseToRepeat() }
        uses += 1
        return true
    }

    private func refuseToRepeat() -> Bool {
        failure = APIError(.connectionLost, message: "The connection was lost before the answer; the request may have arrived.")
        return false
    }

    /// Whether another connection is to be tried after libcurl's result.
    func startsAgain(after code: Int32) -> Bool {
        if isStale {
            isStale = false
            return true
        }
        // libcurl gives up when an HTTP/2 connection ends with the request on its way, and after five kept connections that were dead.
        guard [16, 55, 92].contains(code), !head.hasBegun, newConnections < 5, request.method.isIdempotent, let easy else { return false }
        newConnections += 1
        _ = catena_easy_set_long(easy, CurlLibrary.Option.newConnection, 1)
        return true
    }

    // MARK: The body of the request

    var isUpload: Bool { upload != nil }

    var isSendingPaused: Bool { upload?.isPaused == true }

    func readBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = upload?.read(into: buffer) ?? CurlLibrary.abortReading
        if count > 0, count <= buffer.count { silence?.noteSent() }
        return count
    }

    func rewindBody() -> Bool { upload?.rewind() ?? true }

    /// Notes that libcurl asks for bytes again.
    func willResumeSending() -> Bool { upload?.willResume() == true && !isOver }

    /// Ends the reading, and lets go of what calls back to here.
    private func endUpload() {
        upload?.stop()
        upload = nil
    }

    // MARK: The answer

    func receiveLine(_ line: UnsafeRawBufferPointer) -> Bool {
        silence?.noteReceived()
        let wasComplete = head.isComplete
        do throws(ResponseHeadReader.Violation) {
            try head.read(line)
        } catch {
            failure = APIError(.protocolViolation, message: "The answer breaks the rules of HTTP: \(error.reason).")
            return false
        }
        guard head.isComplete, !wasComplete else { return true }
        return headIsComplete()
    }

    private func headIsComplete() -> Bool {
        if case .whole = reader {
            isRedirect = RedirectBody.belongs(
                toStatus: head.status, location: head.headers.first { sameHeaderName($0.name, "Location") }?.value)
        }
        if head.forbidsReuse, let easy { _ = catena_easy_set_long(easy, CurlLibrary.Option.forbidReuse, 1) }
        do {
            decoder = hasBody ? try ContentDecoder(HTTPHeaders(head.headers)) : nil
        } catch {
            failure = error
            return false
        }
        if decoder == nil, let length = head.contentLength, length > limit, hasBody {
            failure = tooLarge
            return false
        }
        if case .head = reader { engine.loop.handOverHeadLater(of: self) }
        // An answer that says no ends the sending; libcurl would go on waiting for bytes to send if it does.
        if head.status >= 300, isSendingPaused { engine.loop.resumeSending(self) }
        return true
    }

    /// Gives the head to a reader who waits for just that. Called once all that has arrived is taken in, so that a small answer is
    /// handed over whole.
    func handOverHead() {
        guard case .head(let continuation) = reader else { return }
        reader = nil
        let pipe = BodyPipe(
            stop: { [loop = engine.loop, self] in loop.stop(self, with: CancellationError()) },
            resume: { [loop = engine.loop, self] in loop.resume(self) })
        if !body.isEmpty { pipe.receive(body) }
        body = Data()
        self.pipe = pipe
        continuation.resume(returning: answer(TransportBody(pipe)))
    }

    private func answer(_ body: TransportBody, isOver: Bool = false) -> TransportResponse {
        var answer = TransportResponse(status: head.status, headers: HTTPHeaders(head.headers), body: body)
        answer.timings = timings(isOver: isOver)
        return answer
    }

    private func timings(isOver: Bool) -> CallTimings? {
        easy.map { CallTimings(of: $0, queue: queued, isOver: isOver) }
    }

    private var tooLarge: APIError {
        TransportBody.tooLarge(limit, status: head.status, headers: HTTPHeaders(head.headers))
    }

    /// RFC 9110 §6.4.1.
    private var hasBody: Bool {
        !isRedirect && request.method != .head && head.status != 204 && head.status != 205 && head.status != 304
    }

    enum Intake {
        case taken, paused, refused
    }

    func receiveBytes(_ bytes: UnsafeRawBufferPointer) -> Intake {
        if let pipe, !pipe.hasRoom {
            isPaused = true
            return .paused
        }
        silence?.noteReceived()
        received += Int64(bytes.count)
        if isRedirect, received > RedirectBody.limit { return .refused }
        guard hasBody else { return .taken }
        do {
            if let decoder {
                try decoder.decode(bytes) { piece in try take(piece) }
            } else {
                try take(Data(bytes))
            }
            return .taken
        } catch {
            failure = error
            return .refused
        }
    }

    private func take(_ piece: Data) throws {
        if let pipe { return pipe.receive(piece) }
        guard body.count + piece.count <= limit else { throw tooLarge }
        if body.isEmpty { body = piece } else { body.append(piece) }
    }

    /// Notes that libcurl delivers again.
    func willResume() -> Bool {
        defer { isPaused = false }
        return isPaused && !isOver
    }

    // MARK: Ending

    /// Ends the transfer with an error for its caller.
    func fail(_ error: any Error) {
        guard !isOver else { return }
        isOver = true
        let error = APIError.adding(timings(isOver: true), to: error)
        endUpload()
        pipe?.finish(throwing: error)
        switch reader.take() {
        case .head(let continuation): continuation.resume(throwing: error)
        case .whole(let continuation, _): continuation.resume(throwing: error)
        case nil: break
        }
    }

    /// Ends the transfer with libcurl's result.
    func complete(code: Int32) {
        if let error = error(for: code) {
            // Who waits for the head alone gets it and the bytes that came, and finds the error behind them.
            if head.isComplete { handOverHead() }
            return fail(error)
        }
        isOver = true
        endUpload()
        pipe?.finish()
        switch reader.take() {
        case .head(let continuation): continuation.resume(returning: answer(TransportBody(body), isOver: true))
        case .whole(let continuation, _):
            var response = HTTPResponse(status: head.status, headers: HTTPHeaders(head.headers), body: body, address: request.address)
            response.timings = timings(isOver: true)
            continuation.resume(returning: response)
        case nil: break
        }
    }

    private func error(for code: Int32) -> (any Error)? {
        if isRedirect { return nil }
        if let failure { return failure }
        if code != 0 {
            return CurlFailure.error(
                code: code, hasHead: head.isComplete, hasBegun: head.hasBegun, received: received, of: easy)
        }
        // A connection that ends inside the head is no error to libcurl.
        guard head.isComplete else { return CurlFailure.cutHead }
        if let decoder, !decoder.isComplete {
            return APIError(.decompression, message: "The compressed body ends too early.")
        }
        return nil
    }
}
#endif
