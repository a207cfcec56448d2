#if os(Linux) && canImport(Glibc)
import CCurl
import Glibc

extension CallTimings {
    /// What libcurl has measured of a transfer.
    ///
    /// - Parameters:
    ///   - easy: What libcurl has of the transfer; `nil` if it has not come so far.
    ///   - queue: How long it has waited before libcurl got it.
    ///   - hasBegun: Whether a byte of a response has come. Versions from 8.21 on have times of what has not happened.
    ///   - isOver: Whether there is more to come than the head.
    init(of easy: OpaquePointer?, queue: Duration, hasBegun: Bool, isOver: Bool) {
        self.init()
        self.queue = queue
        guard let easy else { return }
        func time(_ info: Int32) -> Int64 { catena_easy_get_size(easy, info) }
        // What libcurl did not come to has no time.
        let firstByte = time(CurlLibrary.Info.firstByte)
        if hasBegun, firstByte > 0 {
            self.firstByte = .microseconds(max(firstByte - time(CurlLibrary.Info.readyToSend), 0))
            if isOver { transfer = .microseconds(max(time(CurlLibrary.Info.total) - firstByte, 0)) }
        }
        // A connection that is used again was not made in this transfer.
        guard catena_easy_get_long(easy, CurlLibrary.Info.newConnections) > 0 else { return }
        let (lookedUp, connected) = (time(CurlLibrary.Info.lookedUp), time(CurlLibrary.Info.connected))
        if lookedUp > 0 { dns = .microseconds(lookedUp) }
        guard connected > 0, hasBegun || catena_easy_get_long(easy, CurlLibrary.Info.systemError) != ECONNREFUSED else { return }
        connect = .microseconds(max(connected - lookedUp, 0))
        let encrypted = time(CurlLibrary.Info.encrypted)
        if encrypted > 0 { tls = .microseconds(max(encrypted - connected, 0)) }
    }
}
#endif
