#if os(Linux) && canImport(Glibc)
import CatenaPlatform

// libcurl closes a connection as soon as sending fails, although a response may have arrived before the reset that made it fail. The system
// keeps such bytes until the socket is closed.
extension CurlTransfer {
    /// The maximum number of bytes that are read from a socket before libcurl closes it.
    private static let mostLeftover = 1 << 20

    /// Takes the bytes that libcurl has not read from a socket which it is about to close. Over TLS only libcurl could decrypt them.
    func takeLeftover(of socket: Int32) {
        guard isRunning, !isOver, request.hasBody, request.address.scheme == "http", !head.isMultiplexed, !expectsHTTP2, !isWhole else {
            return
        }
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while leftover.count < Self.mostLeftover {
            let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return }
            leftover += buffer[..<count]
        }
    }

    /// Continues the response with the bytes that libcurl has left in the socket: a whole head and a body of known length.
    func readLeftover() {
        guard !leftover.isEmpty, failure == nil, !isPaused, !intake.isBehind else { return }
        var rest = leftover[...]
        leftover = []
        if !head.isComplete {
            // libcurl may hold the last line of a head that has begun.
            guard !head.hasBegun, rest.starts(with: "HTTP/1.".utf8) else { return }
            while !head.isComplete, let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                guard rest[...end].withUnsafeBytes(receiveLine) else { return }
                rest = rest[(end + 1)...]
            }
        }
        guard head.isComplete, hasBody, let length = head.contentLength else { return }
        let body = rest.prefix(Int(clamping: length - received))
        isRepeating = true
        if !body.isEmpty { _ = body.withUnsafeBytes(receiveBytes) }
        isRepeating = false
    }
}
#endif
