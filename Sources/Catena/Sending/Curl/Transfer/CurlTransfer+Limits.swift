#if os(Linux) && canImport(Glibc)
import CCurl

// The limits of time of a transfer. On the loop's thread.
extension CurlTransfer {
    var waitsForPlace: Bool { waitStart != nil }

    /// Stops the time of the attempt. Only the call's deadline ends the wait, or else `limit`.
    func beginWait(atMost limit: Duration, among transfers: Int) {
        let now = ContinuousClock.now
        waitStart = now
        deadline = limits.waiting(since: now, atMost: limit, among: transfers)
        limits.timer?.pause()
        inactivity?.pause()
    }

    /// Continues the time of the attempt.
    func endWait() {
        guard let start = waitStart.take() else { return }
        limits.resume(after: .now - start)
        deadline = limits.running
        inactivity?.resume()
    }

    /// The time in nanoseconds that other transfers wait for the first byte of a response on the connection that this one has established.
    var settlingTime: Int64 {
        guard let easy else { return 0 }
        let lookedUp = catena_easy_get_size(easy, CurlLibrary.Info.lookedUp)
        let connected = catena_easy_get_size(easy, CurlLibrary.Info.connected) - lookedUp
        let encrypted = catena_easy_get_size(easy, CurlLibrary.Info.encrypted) - lookedUp
        return 1_000
            * OriginAdmission<CurlTransfer>.settlingTime(
                connected: connected, encrypted: encrypted, least: loop.limits.settling)
    }

    /// The phase in which the transfer is.
    func phase(among transfers: Int) -> TransferPhase {
        if waitsForPlace { return .place(transfers: transfers) }
        if isHeld { return .sharedConnection }
        guard let easy else { return .connecting }
        func hasTime(_ info: Int32) -> Bool { catena_easy_get_size(easy, info) > 0 }
        if head.hasBegun { return .receiving }
        // A request over a kept connection is ready at once.
        if uses > 0, hasTime(CurlLibrary.Info.readyToSend) { return isSent ? .waiting : .sending }
        if waitsForConnection, !hasTime(CurlLibrary.Info.lookedUp) { return .sharedConnection }
        guard hasTime(CurlLibrary.Info.lookedUp) else { return .lookUp }
        return request.address.scheme == "https" && sockets.contains(where: SocketProbes.isConnected) ? .securing : .connecting
    }
}

extension TimeLimit {
    /// libcurl's limit for connecting, in milliseconds, at most its default. A little longer than this limit, which then ends the attempt and
    /// knows its phase.
    var connectMilliseconds: Int {
        let (seconds, attoseconds) = min(duration + .milliseconds(100), .seconds(300)).components
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}
#endif
