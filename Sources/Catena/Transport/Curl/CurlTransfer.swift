#if os(Linux) && canImport(Glibc)
import CCurl
import Foundation

/// One request in progress in the engine.
///
/// The proof for `@unchecked Sendable`: until the transfer is handed to the loop only the task that made it touches it, but for `isOwnedByLoop`
/// and `stoppedEarly`, which are the loop's from the beginning; from then on only the loop's thread touches it, on which libcurl's
/// callbacks run too. Handing over goes through the loop's lock. The task that waits for the whole response is resumed when libcurl has no part
/// in the transfer any more, and from then on nothing writes to it.
///
/// `head` and `intake` are touched for each line and piece and not checked for overlapping accesses: the code that reads a head and takes in a
/// body calls nothing that comes back here, but sends commands to the loop.
final class CurlTransfer: @unchecked Sendable, Expiring {
    private let setup: CurlSetup
    let seat: CurlSeat
    private(set) var handle: CurlHandle?
    /// What libcurl has measured, once it has no part in the transfer any more.
    var measured: CallTimings?

    var reader: Reader?
    /// The task to be woken at the end of this round, and its result.
    var sleeper: (caller: UnsafeContinuation<Void, any Error>, result: Result<Void, any Error>)?
    @exclusivity(unchecked) var head = ResponseHeadReader()
    @exclusivity(unchecked) var intake = CurlIntake(limit: nil)
    var upload: CurlUpload?
    var received: Int64 = 0
    /// How often the request has been written.
    private(set) var uses = 0
    private(set) var silence: InactivityWatch?
    private(set) var meter: (any TransferMeter)?
    /// How much of the body of the request libcurl has been given.
    private var sent: Int64 = 0
    private(set) var deadline: TransferDeadline?
    var expiryPlace = -1
    var isRedirect = false
    /// Why the transfer is to fail, decided in a callback; libcurl's own word for it would be "aborted".
    var failure: (any Error)?
    /// A fault in the body of a response that counts nevertheless.
    var fault: APIError?
    /// How the transfer has ended for libcurl, while bytes that have arrived still wait for their reader.
    var ending: Result<Void, any Error>?

    /// Whether the response has been given, or the error, and the body has ended.
    var isOver = false
    /// Whether the loop has been given the transfer. A caller that is cancelled may stop it before it starts it.
    var isOwnedByLoop = false
    /// Why it was stopped before.
    var stoppedEarly: (any Error)?
    /// Whether libcurl has the handle.
    var isRunning = false
    /// Whether it waits for the first connection to its origin.
    var isHeld = false
    /// Whether others wait for the connection that it makes.
    var isScout = false
    private let made = ContinuousClock.now
    /// How long the transfer has waited for the loop and for its turn; `nil` while it waits.
    private var queued: Duration?
    /// Whether nothing was written because the kept connection was not fit for it.
    private var isStale = false
    /// The connection on which the request has been sent last, and how much it had brought before.
    private(set) var connection: CurlConnection?
    private var heardBefore = 0
    /// The number of its stream, if the connection is one over HTTP/2.
    private(set) var stream = 0
    /// Whether libcurl wanted to send the request once more, which it does where a kept connection has brought nothing.
    private var isVetoed = false
    /// The sockets that libcurl has opened for the transfer and that carry no request yet.
    private var sockets: [Int32] = []
    /// Which protocol the server has agreed to in the handshake.
    private(set) var agreed = OriginAdmission<CurlTransfer>.Version.unknown
    /// Why the server has ended the connection over HTTP/2; `nil` if it has not.
    private(set) var goneAway: (error: CurlReason.HTTP2Error, lastStream: Int)?
    /// Why the server has ended its stream over HTTP/2, by libcurl's words while it ran; `nil` if it has not.
    private(set) var reset: CurlReason.HTTP2Error?
    /// How much has arrived, for comparing.
    var progress: Int64 { Int64(head.lineCount) + received }

    /// The end of a body in chunks, which libcurl does not tell.
    var chunks: ChunkEndReader?
    /// Whether the connections that there are are of no use to it.
    private var needsNewConnection = false
    /// Whether body bytes are held back until the reader has caught up.
    var isPaused = false

    #if CATENA_TSAN
    /// Of a continuation that is resumed before its task waits, the runtime tells the thread sanitizer nothing: this shows it who comes first.
    private let order = Mutex(())

    func handOver() { order.withLock { _ in } }
    #else
    @inline(__always) func handOver() {}
    #endif

    init(_ setup: CurlSetup, _ seat: CurlSeat) throws {
        self.setup = setup
        self.seat = seat
        needsNewConnection = setup.request.routing?.needsNewConnection == true || setup.isConnectionUsedOnce
        if setup.takesLong { handle = try CurlHandle(setup) }
    }

    var request: HTTPRequest { setup.request }

    var originText: String { setup.originText }

    /// The proxy; "" without one.
    var proxy: String? { setup.proxy }

    /// Whether the server has to speak HTTP/2 without TLS.
    var expectsHTTP2: Bool { setup.version == CurlLibrary.Version.http2WithoutTLS && request.address.scheme == "http" }

    /// The origin; `nil` where libcurl cannot read it.
    var origin: CurlOrigin? { setup.origin }

    /// The origin, if its transfers can share a connection.
    var sharedOrigin: CurlOrigin? { setup.sharesConnection ? setup.origin : nil }

    private var engine: CurlEngine { setup.engine }

    var easy: OpaquePointer? { handle?.easy }

    var loop: CurlLoop { engine.loop }

    /// Whether it waits within libcurl for a connection that is being made.
    var waitsForConnection: Bool { !needsNewConnection && !isScout && sharedOrigin?.admission.version == .http2 }

    /// Makes a handle that can be given to libcurl.
    func attach(to poller: UnsafeMutableRawPointer, sharing sessions: OpaquePointer) throws {
        let handle = try self.handle ?? CurlHandle(setup, from: engine.loop.handles)
        (self.handle, measured) = (handle, nil)
        let context = Unmanaged.passUnretained(self).toOpaque()
        if needsNewConnection || !CurlLibrary.asksBeforeRequests { try handle.set(.newConnection, 1) }
        if waitsForConnection { try handle.set(.pipeWait, 1) }
        // Half of it is for the first address that does not respond. By itself libcurl would take 300 seconds, and try no other in time.
        if !CurlLibrary.racesAddresses, let deadline { try handle.set(.connectTime, deadline.milliseconds) }
        if sharedOrigin != nil { try CurlCallbacks.followProgress(of: handle, for: context) }
        // A scout tells which protocol the server agrees to.
        if isScout { try handle.set(.verbose, 1) }
        try CurlCallbacks.direct(handle, to: context, poller)
        try handle.set(.sharing, UnsafeRawPointer(sessions))
        if upload != nil { try CurlCallbacks.attachUpload(to: handle, transfer: context) }
        // Without a callback before the request it is written once at most, on a connection of its own.
        if !CurlLibrary.asksBeforeRequests { uses += 1 }
    }

    /// Frees the handle; libcurl must not have it any more.
    func detach() {
        measured = timings(isOver: true)
        handle?.release(to: engine.loop.handles)
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

    func timings(isOver: Bool) -> CallTimings {
        measured ?? CallTimings(of: easy, queue: queued ?? ContinuousClock.now - made, hasBegun: head.hasBegun, isOver: isOver)
    }

    // MARK: The connection

    /// Notes a socket that libcurl has opened for the transfer.
    func opened(_ socket: Int32) {
        sockets.append(socket)
        engine.loop.opened(socket)
    }

    /// The socket that the transfer has connected from one of our ports; -1 if there is none.
    func takeSocket(atPort port: Int) -> Int32 {
        defer { sockets = [] }
        return sockets.first { SocketProbes.port(of: $0) == port } ?? -1
    }

    func join(_ connection: CurlConnection) {
        self.connection = connection
        heardBefore = connection.heard
        connection.begin(self)
        // The client's streams have odd numbers, in the order of its requests (RFC 9113 §5.1.1).
        stream = 2 * connection.requests - 1
    }

    func leaveConnection() {
        guard let connection = connection.take() else { return }
        connection.end(self, now: TransferDeadline.nanoseconds(of: .now))
    }

    /// Notes that the connection has brought something for the transfer.
    func noteHeard() {
        guard let connection else { return }
        connection.noteHeard()
        heardBefore = connection.heard
    }

    /// Whether the connection has brought nothing since the request was written to it, or since its last byte for this transfer.
    var isConnectionSilent: Bool { connection.map { $0.heard == heardBefore } ?? false }

    /// Whether the request may be written to this connection.
    ///
    /// It is written once: libcurl would send it again by itself, up to five times, where a kept connection is dead or HTTP/2 has ended the
    /// stream. The call repeats what may be repeated.
    func mayWrite(to key: UInt64, fromPort port: Int) -> Bool {
        guard uses == 0 else {
            refuseToRepeat()
            engine.loop.keepUnused(key, of: self, fromPort: port)
            return false
        }
        let wasKnown = engine.loop.knows(key)
        guard engine.loop.admits(self, to: key, fromPort: port) else {
            isStale = true
            return false
        }
        guard isCertificateFit(ofKeptConnection: wasKnown), rewindBody() || refuseToRepeat() else { return false }
        uses += 1
        return true
    }

    @discardableResult
    private func refuseToRepeat() -> Bool {
        if isWhole { return false }
        isVetoed = true
        let isReset = head.hasBegun || reset != nil || CurlReason(handle?.reason ?? "").says("HTTP/2", "nghttp2")
        failure = CurlFailure.error(CurlOutcome(of: self, code: (isReset ? CurlCode.http2Stream : .noResponse).rawValue))
        return false
    }

    /// Whether the server's certificate names a host, where OpenSSL cannot be asked during the handshake.
    func isCertificateFit(ofKeptConnection isKept: Bool) -> Bool {
        guard !CurlLibrary.checksNames, request.address.scheme == "https", let easy else { return true }
        if connection?.isVerified == true { return true }
        switch catena_easy_names_hosts(easy) {
        case 1:
            connection?.isVerified = true
            return true
        case 0: failure = CurlFailure.namesNoHost
        default:
            // The transfer that has made the connection ended before its certificate was looked at.
            if isKept { isStale = true } else { failure = CurlFailure.certificateUnknown }
        }
        return false
    }

    /// Whether another connection is to be tried, since nothing was written to a kept one that was not fit.
    func startsAgain() -> Bool {
        defer { isStale = false }
        return isStale
    }

    /// The reason for which the request may be sent once more at once, if there is one.
    ///
    /// - Parameter code: libcurl's result.
    func repeatReason(after code: CurlCode?) -> RepeatReason? {
        guard uses > 0, !head.hasBegun else { return nil }
        // Before the reset: from 8.23 on libcurl ends such a stream by itself, with the code of the whole connection.
        if let goneAway, stream > goneAway.lastStream { return .notProcessed }
        let reason = CurlReason(handle?.reason ?? "")
        switch reset ?? reason.http2Error {
        case .refusedStream?: return .notProcessed
        case .http1Required?:
            loop.requireHTTP1(originText)
            return .notProcessed
        case nil: break
        default: return nil
        }
        // A kept connection that brought nothing was dead; that a new one brings nothing is how the server responds.
        guard isVetoed || connection.map({ $0.requests > 1 && isConnectionSilent }) == true else { return nil }
        if goneAway != nil || reason.saysConnectionEnded { return .deadConnection }
        switch code {
        case .http2Framing, .sendFailed, .noResponse, .receiveFailed: return reason.says("HTTP/2", "nghttp2") ? nil : .deadConnection
        default: return nil
        }
    }

    /// Has the next attempt of the transfer make a connection of its own.
    func useNewConnection() { needsNewConnection = true }

    /// Keeps the connection from carrying a request after this one.
    func forbidReuse() { try? handle?.set(.forbidReuse, 1) }

    /// Has libcurl say more, from now on.
    func listen() { try? handle?.set(.verbose, 1) }

    /// Has libcurl say what the server does with the connection, once the request is written: before, it would say each of its headers.
    func noteProgress() {
        guard uses > 0 else { return }
        listen()
        try? handle?.set(.noProgress, 1)
    }

    /// Takes a line of libcurl's own.
    func receiveText(_ text: UnsafeRawBufferPointer) {
        switch CurlNotice(text) {
        case .agreed(let version): agreed = version
        case .goAway(let error, let lastStream):
            goneAway = (error, lastStream)
            engine.loop.noteGoAway(of: self, error, lastStream: lastStream)
        case .reset(let error): reset = error
        case nil: break
        }
    }

    // MARK: The body of the request

    var isSendingPaused: Bool { upload?.isPaused == true }

    /// Whether libcurl has taken all of the body.
    var isSent: Bool {
        if let upload { return upload.isAtEnd }
        guard let body = request.body, let easy else { return true }
        return catena_easy_get_size(easy, CurlLibrary.Info.uploaded) >= Int64(body.count)
    }

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

    /// Ends the reading, and releases what calls back to here.
    func endUpload() {
        upload?.stop()
        upload = nil
    }
}

extension TransferDeadline {
    /// How long the exchange may take, in milliseconds: at least one, and no longer than libcurl's own limit for connecting.
    fileprivate var milliseconds: Int {
        let (seconds, attoseconds) = min(length, .seconds(300)).components
        return max(1, Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
#endif
