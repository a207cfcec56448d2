#if os(Linux) && canImport(Glibc)
import CCurl

/// The limits of a connection's age and number of requests.
struct ConnectionLimits {
    /// The maximum age in nanoseconds.
    let age: Int64
    let requests: Int
    /// The least time that a new HTTP/2 connection has for its settings, in microseconds.
    let settling: Int64

    init(_ configuration: CurlConfiguration) {
        let longest = Duration.seconds(1_000_000_000)
        age = configuration.connectionAge.map { min($0, longest).components.seconds * 1_000_000_000 } ?? .max
        requests = max(1, configuration.requestsPerConnection ?? .max)
        settling = Int64(configuration.leastSettlingTime / .microseconds(1))
    }
}

/// The work that callbacks postpone until libcurl has returned.
struct LoopRound {
    /// The transfers to end, because their responses are complete although their requests are not.
    var whole: [CurlTransfer] = []
    /// The origins whose scouts have received the first byte.
    var settled: [CurlOrigin] = []
    /// The connections whose waiting transfers start, because the settings have arrived or no transfer awaits them.
    var joinable: [CurlConnection] = []
    /// The transfers that waited for a connection and start now.
    var connected: [CurlTransfer] = []
    /// The origins that turned out to speak HTTP/1.1 while transfers waited for HTTP/2.
    var downgraded: [CurlOrigin] = []
    /// The connections whose servers handle no further requests, and the reason.
    var abandoned: [(connection: CurlConnection, error: CurlReason.HTTP2Error, lastStream: Int)] = []
    /// The transfers that have received bytes to pass on to their readers.
    var flowing: [CurlTransfer] = []
    /// The transfers whose turn is over, and which continue.
    var turned: [CurlTransfer] = []
    /// The transfers whose readers have no room while their requests are still being sent.
    var blocked: [CurlTransfer] = []
    /// The transfers that wait for bytes to send, and their sockets, which libcurl watches no more.
    var released: [(transfer: CurlTransfer, socket: Int32)] = []

    var isEmpty: Bool {
        whole.isEmpty && settled.isEmpty && joinable.isEmpty && connected.isEmpty && downgraded.isEmpty && abandoned.isEmpty
            && flowing.isEmpty && turned.isEmpty && blocked.isEmpty && released.isEmpty
    }
}

/// Chooses the connections that transfers wait for, use and leave. On the loop's thread only.
extension CurlLoop {
    private var now: Int64 { TransferDeadline.nanoseconds(of: .now) }

    // MARK: Starting

    /// Returns whether a transfer whose turn it is starts now; otherwise it is held until its origin has a connection.
    func mayStart(_ transfer: CurlTransfer) -> Bool {
        guard let origin = transfer.sharedOrigin else { return true }
        switch origin.admission.enter(transfer) {
        case .start: return true
        case .startAsScout:
            transfer.isScout = true
            return true
        case .wait:
            transfer.isHeld = true
            return false
        }
    }

    private func start(_ held: [CurlTransfer]) {
        for transfer in held where transfer.isHeld {
            transfer.isHeld = false
            if !run(transfer) { leave(transfer) }
        }
    }

    /// Starts the transfers that wait for a scout that has ended.
    func endScouting(_ transfer: CurlTransfer) {
        guard transfer.isScout else { return }
        transfer.isScout = false
        if let origin = transfer.sharedOrigin { release(origin) }
    }

    /// Starts the transfers that wait for the first connection to an origin.
    private func release(_ origin: CurlOrigin) {
        settling.removeAll { $0.connection.origin === origin && !$0.connection.isSettling }
        start(origin.admission.release())
    }

    /// Ends the waits whose time is up.
    func settle(now: Int64) {
        while let (end, connection) = settling.first, end <= now {
            settling.removeFirst()
            if connection.isSettling {
                connection.isSettling = false
                start(connection.takeWaiting())
            } else if let origin = connection.origin {
                start(origin.admission.release())
            }
        }
    }

    // MARK: Called from libcurl's callbacks

    /// Returns whether a transfer may send its request over a connection.
    func admits(_ transfer: CurlTransfer, to key: UInt64, fromPort port: Int) -> Bool {
        transfer.leaveConnection()
        // A connection over a Unix socket has no port, so it cannot be identified.
        guard port > 0 else { return true }
        if let known = poller.connection(key) {
            guard isFit(known) else {
                // libcurl leaves an HTTP/2 connection open after a refusal, and would choose it again.
                transfer.forbidReuse()
                if !known.isExclusive || !known.isIdle { transfer.useNewConnection() }
                known.retire()
                return false
            }
            if known.isSettling {
                guard known.isIdle else {
                    transfer.awaited = known
                    return false
                }
                // The transfer before it has ended without them.
                awaitSettings(of: known, with: transfer)
            }
            poller.willUse(known.socket)
            use(known, for: transfer)
        } else {
            guard let connection = newConnection(key, of: transfer, fromPort: port) else { return true }
            noteConnected(transfer, connection)
            use(connection, for: transfer)
        }
        return true
    }

    /// Limits the time for which other transfers wait until this one has received its first byte, which follows the HTTP/2 settings.
    private func awaitSettings(of connection: CurlConnection, with transfer: CurlTransfer) {
        settling.removeAll { $0.connection === connection }
        let end = now + transfer.settlingTime
        settling.insert((end, connection), at: settling.firstIndex { $0.end > end } ?? settling.endIndex)
        lookBefore(end, now: now)
    }

    /// Records the connection that a transfer has established. Returns `nil` if its socket is not found.
    private func newConnection(_ key: UInt64, of transfer: CurlTransfer, fromPort port: Int) -> CurlConnection? {
        let socket = transfer.takeSocket(atPort: port)
        guard socket >= 0 else { return nil }
        let connection = CurlConnection(key: key, origin: transfer.sharedOrigin, socket: socket, opened: now)
        poller.add(connection)
        return connection
    }

    /// Records a connection that a transfer has established but does not use. Over HTTP/2, libcurl offers it to later transfers.
    func keepUnused(_ key: UInt64, of transfer: CurlTransfer, fromPort port: Int) {
        guard port > 0, poller.connection(key) == nil, let connection = newConnection(key, of: transfer, fromPort: port) else { return }
        noteConnected(transfer, connection)
    }

    private func use(_ connection: CurlConnection, for transfer: CurlTransfer) {
        transfer.join(connection)
        transfer.sharedOrigin?.removeUnconnected(transfer)
        guard connection.requests >= limits.requests else { return }
        transfer.forbidReuse()
        connection.retire()
    }

    private func isFit(_ connection: CurlConnection) -> Bool {
        if connection.isRetired { return false }
        if limits.age != .max, now - connection.opened > limits.age { return false }
        guard connection.isIdle else { return true }
        if connection.idleEnd != .max, now >= connection.idleEnd { return false }
        return connection.isExclusive ? !poller.hasStrayBytes(on: connection.socket) : !poller.isClosedByPeer(connection.socket)
    }

    private func noteConnected(_ transfer: CurlTransfer, _ connection: CurlConnection) {
        guard let origin = transfer.sharedOrigin else { return }
        // The server may offer HTTP/2 now, although it did not before.
        if origin.admission.version == .http1 { transfer.listen() }
        let wasShared = origin.admission.version == .http2
        let released = origin.admission.connected(isScout: transfer.isScout, transfer.agreed)
        // The callback of libcurl must not add a transfer.
        // libcurl opens another connection when the former ones have as many streams as their server allows. The transfers that wait for it
        // would all send their requests before its settings arrive.
        connection.isSettling = wasShared && !transfer.isScout
        if connection.isSettling || (transfer.isScout && origin.admission.isSettling) { awaitSettings(of: connection, with: transfer) }
        round.connected += released
        if wasShared, transfer.agreed == .http1 { round.downgraded.append(origin) }
    }

    /// Records the first line of a response.
    func noteFirstByte(of transfer: CurlTransfer) {
        if transfer.isScout, let origin = transfer.sharedOrigin { round.settled.append(origin) }
        if let connection = transfer.connection, connection.isSettling {
            connection.isSettling = false
            settling.removeAll { $0.connection === connection }
            round.joinable.append(connection)
        }
        // A head of HTTP/2 may continue in bytes that have been read, also on a connection that no other transfer shares.
        if transfer.mayUseHTTP2 { unfinished.append(transfer) }
    }

    /// Records that the server ends an HTTP/2 connection (RFC 9113 §6.8).
    func noteGoAway(of transfer: CurlTransfer, _ error: CurlReason.HTTP2Error, lastStream: Int) {
        guard let connection = transfer.connection else { return }
        connection.retire()
        if error != .noError { round.abandoned.append((connection, error, lastStream)) }
    }

    // MARK: After libcurl has returned

    /// Performs the work that callbacks have postponed, and what it postpones.
    func finishRounds() {
        while !round.isEmpty { finishRound() }
    }

    private func finishRound() {
        let taken = round
        round = LoopRound()
        for origin in taken.settled { release(origin) }
        for connection in taken.joinable { start(connection.takeWaiting()) }
        start(taken.connected)
        for origin in taken.downgraded { restartUnconnected(of: origin) }
        for transfer in taken.whole { finishWhole(transfer) }
        for (transfer, socket) in taken.released where !poller.isActive(socket) { finishEnded(transfer) }
        for (connection, error, lastStream) in taken.abandoned { abandon(connection, error, lastStream: lastStream) }
        continueBodies(of: taken)
    }

    /// Ends the transfers to which the server will not respond, although it has not closed the connection. HTTP/2 itself ends those with a
    /// higher stream than the last one.
    private func abandon(_ connection: CurlConnection, _ error: CurlReason.HTTP2Error, lastStream: Int) {
        for transfer in connection.transfers where transfer.stream <= lastStream {
            // A response that has already arrived is still delivered.
            var former: Int64 = -1
            while transfer.isRunning, transfer.connection === connection, transfer.progress != former {
                former = transfer.progress
                act(on: connection.socket)
                finishTransfers()
            }
            guard transfer.isRunning, transfer.connection === connection else { continue }
            var failure = CurlFailure.goneAway(error)
            failure.contents.repeatReason = transfer.repeatReason(after: nil)
            end(transfer, failure)
        }
    }

    /// Restarts, on new connections, the transfers that wait within libcurl for an HTTP/2 connection. From 8.10 on libcurl does not wake
    /// them if the protocol is HTTP/1.1.
    private func restartUnconnected(of origin: CurlOrigin) {
        for transfer in origin.unconnected where transfer.isRunning {
            guard let easy = transfer.easy else { continue }
            transfer.useNewConnection()
            startAgain(transfer, easy)
        }
    }

    /// Makes libcurl continue with incomplete responses, because data that libcurl or TLS has already read wakes no socket.
    ///
    /// A connection is asked again as long as asking it has brought a line or a piece for any of its transfers. So it ends: what has been read
    /// is finite, and of what arrives meanwhile one iteration takes a bounded number of turns. The connection is then asked in the next one.
    func completeResponses() {
        var left = Self.mostTurns
        while let connection = unansweredConnection() {
            guard left > 0 else {
                poller.wake()
                break
            }
            left -= 1
            connection.noteAsked()
            act(on: connection.socket)
            finishTransfers()
        }
        unfinished.removeAll { !$0.isUnfinished }
    }

    /// The number of times that an iteration makes libcurl continue, before commands and other sockets have their turn.
    private static let mostTurns = 32

    func unansweredConnection() -> CurlConnection? {
        for transfer in unfinished where transfer.isUnfinished {
            if let connection = transfer.connection, connection.hasBroughtMore { return connection }
        }
        return nil
    }

    // MARK: Ends

    /// Retires a connection that brought nothing during an attempt that timed out. The system may not notice for minutes that the
    /// connection is dead.
    func noteTimeout(of transfer: CurlTransfer) {
        if transfer.isConnectionSilent { transfer.connection?.retire() }
    }

    /// Retires the connection of a failed transfer, except after a stream reset by the server. Data that confused libcurl once would do so
    /// again.
    func noteFailure(of transfer: CurlTransfer, code: Int32) {
        // A response that the engine itself rejects, such as one that is too long, is no fault of the connection.
        if transfer.failure != nil { return }
        let isReset = code == CurlCode.http2Stream.rawValue && CurlReason(transfer.handle?.reason ?? "").http2Error != nil
        if !isReset { transfer.connection?.retire() }
    }

    /// Records the protocol of a connection after a response.
    func noteSuccess(of transfer: CurlTransfer, version: Int) {
        let isExclusive = version <= 2
        transfer.sharedOrigin?.admission.note(isExclusive ? .http1 : .http2)
        // Over HTTP/2 the peer may send at any time.
        guard isExclusive else { return }
        if transfer.seat.freedom == .whenKnown { origins.noteExclusive(transfer.originText) }
        guard let connection = transfer.connection else { return }
        connection.isExclusive = true
        // libcurl may have passed the connection to the next transfer before it reports the end of this one.
        if connection.isIdle(but: transfer) { poller.watchIdle(connection.socket) }
    }
}
#endif
