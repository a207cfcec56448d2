#if os(Linux) && canImport(Glibc)
import CCurl
import CatenaPlatform

extension CallTimings {
    /// Reads libcurl's timings of a transfer.
    ///
    /// - Parameters:
    ///   - easy: The handle of the transfer, or `nil` if libcurl has not received it.
    ///   - queue: The time of waiting before libcurl received the transfer.
    ///   - hasBegun: Whether a byte of a response has arrived. Versions from 8.21 on report times of events that have not happened.
    ///   - isOver: Whether the transfer has ended, not only the head.
    init(of easy: OpaquePointer?, queue: Duration, hasBegun: Bool, isOver: Bool) {
        self.init()
        self.queue = queue
        guard let easy else { return }
        func time(_ info: Int32) -> Int64 { catena_easy_get_size(easy, info) }
        // The time of a phase that was not reached is zero.
        let firstByte = time(CurlLibrary.Info.firstByte)
        if hasBegun, firstByte > 0 {
            self.firstByte = .microseconds(max(firstByte - time(CurlLibrary.Info.readyToSend), 0))
            if isOver { transfer = .microseconds(max(time(CurlLibrary.Info.total) - firstByte, 0)) }
        }
        // A reused connection was not established in this transfer.
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
