#if os(Linux) && canImport(Glibc)
import CCurl
import CatenaPlatform

/// One request in progress in the engine.
///
/// The proof for `@unchecked Sendable`: until the transfer is passed to the loop, only the task that created it uses it. The exceptions are
/// `isOwnedByLoop` and `stoppedEarly`, which always belong to the loop. Afterwards only the loop's thread uses it, on which libcurl's
/// callbacks run too. The loop's lock orders the two phases. The task that waits for the whole response is resumed when libcurl has
/// released the transfer, and nothing writes to it from then on.
///
/// `head` and `intake` are used for each line and piece, and are not checked for overlapping accesses. The code that reads a head and a
/// body never calls back into the transfer, but sends commands to the loop.
final class CurlTransfer: @unchecked Sendable, Expiring {
    private let setup: CurlSetup
    let seat: CurlSeat
    private(set) var handle: CurlHandle?
    /// The timings measured by libcurl, available once libcurl has released the transfer.
    var measured: CallTimings?

    var reader: Reader?
    /// The continuation to resume at the end of this loop iteration, and its result.
    var sleeper: (caller: UnsafeContinuation<Void, any Error>, result: Result<Void, any Error>)?
    @exclusivity(unchecked) var head = ResponseHeadReader()
    @exclusivity(unchecked) var intake = CurlIntake(limit: nil)
    var upload: CurlUpload?
    var received: Int64 = 0
    /// The number of times that the request has been written.
    private(set) var uses = 0
    var inactivity: InactivityWatch?
    private(set) var meter: (any TransferMeter)?
    /// The number of bytes of the request's body that libcurl has taken.
    private var sent: Int64 = 0
    var limits = TransferLimits()
    /// The limit that ends the transfer, if it is the first to come.
    var deadline: TransferDeadline?
    /// When the transfer began to wait for a place; `nil` if it does not wait.
    var waitStart: ContinuousClock.Instant?
    var expiryIndex = -1
    var isRedirect = false
    /// The error that a callback decided on. libcurl itself would only report "aborted".
    var failure: (any Error)?
    /// A fault in the body of a response that is returned nevertheless.
    var fault: APIError?
    /// The result of libcurl, while received bytes still wait for their reader.
    var ending: Result<Void, any Error>?

    /// Whether the response or the error has been delivered and the body has ended.
    var isOver = false
    /// Whether the loop has received the transfer. A cancelled caller may stop the transfer before it is started.
    var isOwnedByLoop = false
    /// The error with which the transfer was stopped before the loop received it.
    var stoppedEarly: (any Error)?
    /// Whether libcurl has the handle.
    var isRunning = false
    /// Whether the transfer waits for the first connection to its origin.
    var isHeld = false
    /// Whether other transfers wait for the connection that this one establishes.
    var isScout = false
    private let made = ContinuousClock.now
    /// The time that the transfer waited for the loop and for its turn, or `nil` while it waits.
    private var queued: Duration?
    /// Whether nothing was written because the reused connection was unfit.
    private var isStale = false
    /// The connection whose HTTP/2 settings the transfer has to await, since it has found no other.
    var awaited: CurlConnection?
    /// The connection on which the request was last sent, and the connection's count of received pieces before.
    private(set) var connection: CurlConnection?
    private var heardBefore = 0
    /// The number of the HTTP/2 stream, if the connection uses HTTP/2.
    private(set) var stream = 0
    /// Whether libcurl tried to send the request again, which it does if a reused connection has brought nothing.
    private var isVetoed = false
    /// The sockets that libcurl has opened for the transfer and that carry no request yet.
    private(set) var sockets: [Int32] = []
    /// The protocol to which the server agreed in the handshake.
    private(set) var agreed = OriginAdmission<CurlTransfer>.Version.unknown
    /// The server's reason for ending the HTTP/2 connection, or `nil` if it has not ended.
    private(set) var goneAway: (error: CurlReason.HTTP2Error, lastStream: Int)?
    /// The server's reason for ending the HTTP/2 stream, read from libcurl's log lines, or `nil` if it has not ended.
    private(set) var reset: CurlReason.HTTP2Error?
    /// A count of the received lines and bytes, for comparisons.
    var progress: Int64 { Int64(head.lineCount) + received }

    /// Whether the body has ended without END_STREAM.
    var isCut = false
    /// The bytes that libcurl has left in the socket of a failed upload.
    var leftover: [UInt8] = []
    /// Finds the end of a chunked body, which libcurl does not report.
    var chunks: ChunkEndReader?
    /// Whether the transfer must not use an existing connection.
    private var needsNewConnection = false
    /// Whether the engine has made libcurl close the connection after this transfer.
    private var isReuseForbidden = false
    /// Whether TLS reads more of the body at once than it decrypts.
    var readsAhead = false
    /// Whether received bytes of the body wait until the reader has caught up.
    var isPaused = false
    /// Whether libcurl delivers bytes that were refused.
    var isRepeating = false
    @exclusivity(unchecked) var turn = CurlTurn()

    #if CATENA_TSAN
    /// Shows the thread sanitizer the order of the threads. The runtime does not report a continuation that is resumed before its task
    /// suspends.
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

    /// The proxy, or "" if there is none.
    var proxy: String? { setup.proxy }

    /// Whether the server has to speak HTTP/2 without TLS.
    var expectsHTTP2: Bool { setup.version == CurlLibrary.Version.http2WithoutTLS && request.address.scheme == "http" }

    /// The origin, or `nil` if libcurl cannot parse it.
    var origin: CurlOrigin? { setup.origin }

    /// The origin, if transfers to it can share a connection.
    var sharedOrigin: CurlOrigin? { setup.sharesConnection ? setup.origin : nil }

    var mayUseHTTP2: Bool { setup.mayUseHTTP2 }

    private var engine: CurlEngine { setup.engine }

    var easy: OpaquePointer? { handle?.easy }

    var loop: CurlLoop { engine.loop }

    /// Whether the transfer waits within libcurl for a connection that is being established.
    var waitsForConnection: Bool { !needsNewConnection && !isScout && sharedOrigin?.admission.version == .http2 }

    /// Prepares a handle for libcurl.
    func attach(to poller: UnsafeMutableRawPointer, sharing sessions: OpaquePointer) throws {
        let handle = try self.handle ?? CurlHandle(setup, from: engine.loop.handles)
        (self.handle, measured) = (handle, nil)
        let context = Unmanaged.passUnretained(self).toOpaque()
        if needsNewConnection || !CurlLibrary.asksBeforeRequests { try handle.set(.newConnection, 1) }
        if waitsForConnection { try handle.set(.pipeWait, 1) }
        // libcurl gives the first address half of this time if it does not respond. The default is 300 seconds, so libcurl would not try
        // another address in time.
        if !CurlLibrary.racesAddresses, let limit = limits.connecting { try handle.set(.connectTime, limit.connectMilliseconds) }
        if let origin = sharedOrigin, origin.admission.version != .http1 { try CurlCallbacks.followProgress(of: handle, for: context) }
        // Verbose output tells the protocol to which the server agrees.
        if isScout { try handle.set(.verbose, 1) }
        try CurlCallbacks.direct(handle, to: context, poller)
        try handle.set(.sharing, UnsafeRawPointer(sessions))
        if upload != nil { try CurlCallbacks.attachUpload(to: handle, transfer: context) }
        // Without the prerequest callback, the request is written at most once, on a new connection.
        if !CurlLibrary.asksBeforeRequests { uses += 1 }
    }

    /// Releases the handle. libcurl must have removed it.
    func detach() {
        measured = timings(isOver: true)
        handle?.release(to: engine.loop.handles)
        handle = nil
    }

    /// - Parameter stopper: Provides the watch, the meter and the deadline. Not stored, because it retains the transfer.
    func answer(to reader: Reader, heeding stopper: TransferStopper? = nil) {
        self.reader = reader
        if let stopper { (inactivity, limits) = (stopper.inactivity, stopper.limits) }
        deadline = limits.running
        if case .whole(_, let limit) = reader {
            // The reader of pieces informs the meter itself.
            meter = stopper?.meter
            intake = CurlIntake(limit: limit)
        }
        if let source = request.bodySource {
            upload = CurlUpload(
                source,
                onBytes: { [loop = engine.loop, self] in loop.resumeSending(self) },
                onFailure: { [loop = engine.loop, self] error in loop.stop(self, with: error) })
        }
    }

    /// Records that libcurl receives the handle.
    func willRun() { queued = ContinuousClock.now - made }

    func timings(isOver: Bool) -> CallTimings {
        measured ?? CallTimings(of: easy, queue: queued ?? ContinuousClock.now - made, hasBegun: head.hasBegun, isOver: isOver)
    }

    // MARK: The connection

    /// Returns whether libcurl may open a connection, for which it reads the files of the configuration.
    func mayConnect() -> Bool {
        guard request.address.scheme == "https" else { return true }
        do {
            try engine.configuration.checkFiles()
            return true
        } catch {
            failure = error
            return false
        }
    }

    /// Records a socket that libcurl has opened for the transfer.
    func opened(_ socket: Int32) {
        sockets.append(socket)
        loop.poller.opened(socket)
    }

    /// Returns the socket connected from a local port, or -1 if there is none.
    func takeSocket(atPort port: Int) -> Int32 {
        defer { sockets = [] }
        return sockets.first { SocketProbes.port(of: $0) == port } ?? -1
    }

    func join(_ connection: CurlConnection) {
        self.connection = connection
        heardBefore = connection.heard
        connection.begin(self)
        // Client streams have odd numbers, in the order of the requests (RFC 9113 §5.1.1).
        stream = 2 * connection.requests - 1
    }

    func leaveConnection() {
        guard let connection = connection.take() else { return }
        connection.end(self, now: TransferDeadline.nanoseconds(of: .now))
        if connection.hasReleased { loop.round.joinable.append(connection) }
    }

    /// Records that the connection has brought something for the transfer.
    func noteHeard() {
        guard let connection else { return }
        connection.noteHeard()
        heardBefore = connection.heard
    }

    /// Whether the connection has brought nothing since the request was written, or since its last byte for this transfer.
    var isConnectionSilent: Bool { connection.map { $0.heard == heardBefore } ?? false }

    /// Returns whether the request may be written to this connection.
    ///
    /// The request is written only once. libcurl itself would send it again, up to five times, if a reused connection is dead or HTTP/2 has
    /// ended the stream. The call repeats the requests that may be repeated.
    func mayWrite(to key: UInt64, fromPort port: Int) -> Bool {
        guard uses == 0 else {
            refuseToRepeat()
            engine.loop.keepUnused(key, of: self, fromPort: port)
            return false
        }
        let wasKnown = loop.poller.connection(key) != nil
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

    /// Whether the server's certificate names a host. Used if OpenSSL cannot be asked during the handshake.
    func isCertificateFit(ofKeptConnection isKept: Bool) -> Bool {
        guard !CurlLibrary.checksNames, request.address.scheme == "https", let easy else { return true }
        if connection?.isVerified == true { return true }
        switch catena_easy_names_hosts(easy) {
        case 1:
            connection?.isVerified = true
            return true
        case 0: failure = CurlFailure.namesNoHost
        default:
            // The transfer that established the connection ended before its certificate was checked.
            if isKept { isStale = true } else { failure = CurlFailure.certificateUnknown }
        }
        return false
    }

    /// Returns whether to try another connection, because nothing was written to an unfit reused one.
    func startsAgain() -> Bool {
        defer { isStale = false }
        return isStale
    }

    /// Returns the reason for which the request may be repeated at once, or `nil` if it may not.
    ///
    /// - Parameter code: The result of libcurl.
    func repeatReason(after code: CurlCode?) -> RepeatReason? {
        guard uses > 0, !head.hasBegun else { return nil }
        // Check this before the reset, because libcurl from 8.23 on ends such a stream itself, with the code of the connection.
        if let goneAway, stream > goneAway.lastStream { return .notProcessed }
        let reason = CurlReason(handle?.reason ?? "")
        switch reset ?? reason.http2Error {
        case .refusedStream?: return .notProcessed
        case .http1Required?:
            loop.origins.requireHTTP1(originText)
            return .notProcessed
        case nil: break
        default: return nil
        }
        // A reused connection that brought nothing was dead. A new connection that brings nothing is the server's way to respond.
        guard isVetoed || connection.map({ $0.requests > 1 && isConnectionSilent }) == true else { return nil }
        if goneAway != nil || reason.saysConnectionEnded { return .deadConnection }
        switch code {
        case .http2Framing, .sendFailed, .noResponse, .receiveFailed: return reason.says("HTTP/2", "nghttp2") ? nil : .deadConnection
        default: return nil
        }
    }

    /// Makes the next attempt of the transfer establish a new connection.
    func useNewConnection() { needsNewConnection = true }

    /// Whether libcurl closes the connection after this transfer, because the engine or the version demands it.
    var isConnectionUsedUp: Bool { isReuseForbidden || setup.isConnectionUsedOnce || !CurlLibrary.asksBeforeRequests }

    /// Prevents the connection from carrying a request after this one.
    func forbidReuse() {
        isReuseForbidden = true
        try? handle?.set(.forbidReuse, 1)
    }

    /// Turns on libcurl's verbose output from now on.
    func listen() { try? handle?.set(.verbose, 1) }

    /// Turns on verbose output for events of the connection once the request is written. Earlier, the output would include each of the
    /// request's headers.
    func noteProgress() {
        guard uses > 0 else { return }
        listen()
        try? handle?.set(.noProgress, 1)
    }

    /// Reads a line of libcurl's verbose output.
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

    /// Whether libcurl has sent the whole body, or has taken it if its length is unknown.
    var isSent: Bool {
        if let upload, upload.length == nil { return upload.isAtEnd }
        // libcurl asks for no more than the announced bytes, so that no zero ends them.
        guard let length = upload?.length ?? request.body.map({ Int64($0.count) }), let easy else { return true }
        return catena_easy_get_size(easy, CurlLibrary.Info.uploaded) >= length
    }

    /// Whether libcurl may hold bytes of a body that ``isSent`` calls sent, and would not end the transfer. It drops them from status 300 on
    /// over HTTP/1.1.
    var mayHoldBytes: Bool { upload.map { $0.length == nil ? !head.isMultiplexed && head.status < 300 : head.isMultiplexed } ?? false }

    func readBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = upload?.read(into: buffer) ?? CurlLibrary.abortReading
        if count > 0, count <= buffer.count {
            inactivity?.noteSent()
            sent += Int64(count)
            meter?.noteSent(sent)
        }
        return count
    }

    func rewindBody() -> Bool {
        sent = 0
        return upload?.rewind() ?? true
    }

    /// Records that libcurl asks for bytes again, and returns whether it may.
    func willResumeSending() -> Bool { upload?.willResume() == true && !isOver }

    /// Stops reading the body, and releases the callbacks that retain the transfer.
    func endUpload() {
        upload?.stop()
        upload = nil
    }
}
#endif
