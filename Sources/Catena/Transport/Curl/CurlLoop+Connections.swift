#if os(Linux) && canImport(Glibc)
import CCurl

/// How long and how often the connections of a loop are used.
struct ConnectionLimits {
    /// In nanoseconds.
    let age: Int64
    let requests: Int

    init(_ configuration: CurlConfiguration) {
        let longest = Duration.seconds(1_000_000_000)
        age = configuration.connectionAge.map { min($0, longest).components.seconds * 1_000_000_000 } ?? .max
        requests = max(1, configuration.requestsPerConnection ?? .max)
    }
}

/// The work that callbacks leave until libcurl has returned.
struct LoopRound {
    /// The transfers whose responses are complete while their requests are not.
    var whole: [CurlTransfer] = []
    /// The transfers for whose connection others have waited.
    var settled: [CurlOrigin] = []
    /// The transfers that have waited for a connection and start now.
    var released: [CurlTransfer] = []
    /// The origins that turned out to speak HTTP/1.1 while transfers waited for HTTP/2.
    var downgraded: [CurlOrigin] = []
    /// The connections whose servers said that they would handle no request any more.
    var abandoned: [(connection: CurlConnection, error: CurlReason.HTTP2Error, lastStream: Int)] = []

    var isEmpty: Bool { whole.isEmpty && settled.isEmpty && released.isEmpty && downgraded.isEmpty && abandoned.isEmpty }
}

/// Which connections transfers wait for, use and leave. On the loop's thread only.
extension CurlLoop {
    /// In nanoseconds: how long transfers wait for the first byte of a response after the connection over HTTP/2 is there.
    private static let settlingTime: Int64 = 50_000_000

    private var now: Int64 { TransferDeadline.nanoseconds(of: .now) }

    // MARK: Starting

    /// Whether a transfer whose turn it is starts now; if not, it is held until its origin has a connection.
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

    /// Has the others start, if they wait for a transfer that is over.
    func endScouting(_ transfer: CurlTransfer) {
        guard transfer.isScout else { return }
        transfer.isScout = false
        guard let origin = transfer.sharedOrigin else { return }
        settling.removeAll { $0.origin === origin }
        start(origin.admission.release())
    }

    /// Ends the waits whose time is up.
    func settle(now: Int64) {
        while let (end, origin) = settling.first, end <= now {
            settling.removeFirst()
            start(origin.admission.release())
        }
    }

    // MARK: Called from libcurl's callbacks

    func opened(_ socket: Int32) { poller.opened(socket) }

    /// Has all later transfers to an origin speak HTTP/1.1, since its server requires that.
    func requireHTTP1(_ origin: String) { origins.requireHTTP1(origin) }

    func knows(_ key: UInt64) -> Bool { poller.connection(key) != nil }

    /// Whether a transfer may send its request over a connection.
    func admits(_ transfer: CurlTransfer, to key: UInt64, fromPort port: Int) -> Bool {
        transfer.leaveConnection()
        // One of a unix socket has no port, and so nothing to tell it by.
        guard port > 0 else { return true }
        if let known = poller.connection(key) {
            guard isFit(known) else {
                // libcurl leaves a connection over HTTP/2 open after a refusal, and would choose it again.
                transfer.forbidReuse()
                if !known.isExclusive || !known.isIdle { transfer.useNewConnection() }
                known.retire()
                return false
            }
            poller.willUse(known.socket)
            use(known, for: transfer)
        } else {
            guard let connection = newConnection(key, of: transfer, fromPort: port) else { return true }
            noteConnected(transfer)
            use(connection, for: transfer)
        }
        return true
    }

    /// The connection that a transfer has made; `nil` if its socket is not found.
    private func newConnection(_ key: UInt64, of transfer: CurlTransfer, fromPort port: Int) -> CurlConnection? {
        let socket = transfer.takeSocket(atPort: port)
        guard socket >= 0 else { return nil }
        let connection = CurlConnection(key: key, origin: transfer.sharedOrigin, socket: socket, opened: now)
        poller.add(connection)
        return connection
    }

    /// Keeps a connection that a transfer has made and does not use. libcurl leaves it to the next ones if it is one over HTTP/2.
    func keepUnused(_ key: UInt64, of transfer: CurlTransfer, fromPort port: Int) {
        guard port > 0, poller.connection(key) == nil, newConnection(key, of: transfer, fromPort: port) != nil else { return }
        noteConnected(transfer)
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

    private func noteConnected(_ transfer: CurlTransfer) {
        guard let origin = transfer.sharedOrigin else { return }
        let wasShared = origin.admission.version == .http2
        let released = origin.admission.connected(isScout: transfer.isScout, transfer.agreed)
        // libcurl must not be given a transfer from its own callback.
        if transfer.isScout, origin.admission.isSettling {
            let end = now + Self.settlingTime
            settling.append((end, origin))
            lookBefore(end, now: now)
        }
        round.released += released
        if wasShared, transfer.agreed == .http1 { round.downgraded.append(origin) }
    }

    /// Notes the first line of a response.
    func noteFirstByte(of transfer: CurlTransfer) {
        guard let origin = transfer.sharedOrigin else { return }
        if transfer.isScout { round.settled.append(origin) }
        unfinished.append((transfer, 0))
    }

    /// Has a transfer end once libcurl has returned, if its response is complete by then.
    func endWholeLater(_ transfer: CurlTransfer) { round.whole.append(transfer) }

    /// Notes that the server ends a connection over HTTP/2 (RFC 9113 §6.8).
    func noteGoAway(of transfer: CurlTransfer, _ error: CurlReason.HTTP2Error, lastStream: Int) {
        guard let connection = transfer.connection else { return }
        connection.retire()
        if error != .noError { round.abandoned.append((connection, error, lastStream)) }
    }

    // MARK: When libcurl has returned

    /// Does what the callbacks of this round have left to be done.
    func finishRound() {
        let taken = round
        round = LoopRound()
        for origin in taken.settled {
            settling.removeAll { $0.origin === origin }
            start(origin.admission.release())
        }
        start(taken.released)
        for origin in taken.downgraded { restartUnconnected(of: origin) }
        for transfer in taken.whole where transfer.isRunning && transfer.isWhole && !transfer.isSent {
            transfer.forbidReuse()
            finish(transfer, code: 0)
        }
        for (connection, error, lastStream) in taken.abandoned { abandon(connection, error, lastStream: lastStream) }
    }

    /// Ends the transfers to which the server will not respond, although it has not closed the connection. Those with a higher stream than the last
    /// one are ended by HTTP/2 itself.
    private func abandon(_ connection: CurlConnection, _ error: CurlReason.HTTP2Error, lastStream: Int) {
        for transfer in connection.transfers where transfer.stream <= lastStream {
            // A response that has arrived before counts.
            var former: Int64 = -1
            while transfer.isRunning, transfer.connection === connection, transfer.progress != former {
                former = transfer.progress
                act(on: connection.socket)
                finishTransfers()
            }
            guard transfer.isRunning, transfer.connection === connection else { continue }
            var failure = CurlFailure.goneAway(error)
            failure.repeatReason = transfer.repeatReason(after: nil)
            end(transfer, failure)
        }
    }

    /// Has transfers make connections of their own, that wait within libcurl for one that does not serve them: from 8.10 on it does not
    /// wake them.
    private func restartUnconnected(of origin: CurlOrigin) {
        for transfer in origin.unconnected where transfer.isRunning {
            guard let easy = transfer.easy else { continue }
            transfer.useNewConnection()
            startAgain(transfer, easy)
        }
    }

    /// Has libcurl continue with responses that are not complete: what it and TLS have read already wakes no socket.
    func completeResponses() {
        var left: [(CurlTransfer, progress: Int64)] = []
        for (transfer, progress) in unfinished {
            var progress = progress
            while transfer.isUnfinished, transfer.progress != progress, let connection = transfer.connection {
                progress = transfer.progress
                act(on: connection.socket)
                finishTransfers()
            }
            if transfer.isUnfinished { left.append((transfer, progress)) }
        }
        unfinished = left
    }

    // MARK: Ends

    /// Takes a connection out of use that has brought nothing during an attempt that has run out of time. The system may not know for minutes
    /// that nothing comes through any more.
    func noteTimeout(of transfer: CurlTransfer) {
        if transfer.isConnectionSilent { transfer.connection?.retire() }
    }

    /// Takes a connection out of use whose transfer has failed, but for a stream that the server has reset: what has confused libcurl once would do
    /// so again.
    func noteFailure(of transfer: CurlTransfer, code: Int32) {
        // A response that the engine itself refuses, such as one that is too long, says nothing of the connection.
        if transfer.failure != nil { return }
        let isReset = code == CurlCode.http2Stream.rawValue && CurlReason(transfer.handle?.reason ?? "").http2Error != nil
        if !isReset { transfer.connection?.retire() }
    }

    /// Notes what a connection is good for after a response.
    func noteSuccess(of transfer: CurlTransfer, version: Int) {
        let isExclusive = version <= 2
        transfer.sharedOrigin?.admission.note(isExclusive ? .http1 : .http2)
        // On HTTP/2 the peer may speak at any time.
        guard isExclusive else { return }
        if transfer.seat.freedom == .whenKnown { origins.noteExclusive(transfer.originText) }
        guard let connection = transfer.connection else { return }
        connection.isExclusive = true
        // libcurl may have given the connection to the next transfer before it tells that this one is done.
        if connection.isIdle(but: transfer) { poller.watchIdle(connection.socket) }
    }
}
#endif
