#if os(Linux)
import CatenaFleet
import Foundation
import Glibc

/// A connection to a Redis server. Used by one thread at a time, and blocks that thread no longer than the given time, except for the lookup of a
/// name.
final class RedisConnection {
    /// A failure before the first byte of a reply, which is likely if the server has closed an idle connection.
    struct Closed: Error {}

    private static let pieceSize = 64 * 1024

    private let descriptor: Int32

    init(host: String, port: Int, until end: ContinuousClock.Instant) throws {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(port)", &hints, &list)
        guard code == 0, let first = list else {
            throw SharedStoreError("The server cannot be reached: \(String(cString: gai_strerror(code))).")
        }
        defer { freeaddrinfo(first) }
        var failure: (any Error)?
        for address in sequence(first: first, next: { $0.pointee.ai_next }) {
            do {
                descriptor = try Self.connected(to: address.pointee, until: end)
                return
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? SharedStoreError("The server cannot be reached: it has no address.")
    }

    deinit { close(descriptor) }

    private static func connected(to address: addrinfo, until end: ContinuousClock.Instant) throws -> Int32 {
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.ai_family, flags, 0)
        do {
            guard descriptor >= 0 else { throw failure(errno) }
            if connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 {
                guard errno == EINPROGRESS else { throw failure(errno) }
                try wait(for: POLLOUT, of: descriptor, until: end)
                var (code, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
                getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
                guard code == 0 else { throw failure(code) }
            }
            var yes = Int32(1)
            setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &yes, socklen_t(MemoryLayout<Int32>.size))
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func failure(_ code: Int32) -> SharedStoreError {
        SharedStoreError("The server cannot be reached: \(String(cString: strerror(code))).")
    }

    /// Sends commands and returns a reply for each.
    ///
    /// Replies have no names, so only their order says to which command each belongs. Anything that the server sends besides them would shift the
    /// order, and a key would get another key's value. So the connection is given up at the first byte too many.
    ///
    /// - Parameters:
    ///   - longest: The number of bytes that the values of all replies may have together.
    ///   - noteSending: Takes note that the commands may be carried out from now on.
    func run(
        _ commands: [[Data]], until end: ContinuousClock.Instant, longest: Int, noteSending: () -> Void = {}
    ) throws -> [RedisReply] {
        // Bytes, or the end of the connection, that have arrived since the last reply.
        guard !hasInput else { throw Closed() }
        noteSending()
        try send(Self.encoded(commands), until: end)
        // The reply to TIME has two elements, and that to MGET one for each key. Others have none.
        var reader = RedisReplyReader(mostElements: max(2, commands.map(\.count).max() ?? 0), longest: longest)
        var replies: [RedisReply] = []
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        var hasRead = false
        while replies.count < commands.count {
            if let reply = try reader.next() {
                replies.append(reply)
                continue
            }
            try Self.wait(for: POLLIN, of: descriptor, until: end)
            let count = recv(descriptor, &piece, piece.count, 0)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { throw hasRead ? SharedStoreError("The connection was lost in a reply.") : Closed() }
            reader.append(piece[..<count])
            hasRead = true
        }
        guard reader.isEmpty else { throw SharedStoreError("The server sent more than the replies.") }
        return replies
    }

    /// Whether there is something to read, or the server has closed the connection.
    private var hasInput: Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) != 0
    }

    /// Returns the commands as arrays of strings, which Redis reads.
    private static func encoded(_ commands: [[Data]]) -> Data {
        commands.reduce(into: Data()) { bytes, command in
            bytes += Data("*\(command.count)\r\n".utf8)
            for word in command { bytes += Data("$\(word.count)\r\n".utf8) + word + Data("\r\n".utf8) }
        }
    }

    private func send(_ bytes: Data, until end: ContinuousClock.Instant) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EAGAIN || errno == EINTR {
                try Self.wait(for: POLLOUT, of: descriptor, until: end)
                continue
            }
            guard count > 0 else { throw Closed() }
            rest = rest.dropFirst(count)
        }
    }

    private static func wait(for event: Int32, of descriptor: Int32, until end: ContinuousClock.Instant) throws {
        while true {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { throw SharedStoreError("The server is too slow.") }
            var polled = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            let count = poll(&polled, 1, Int32(min(left / .milliseconds(1) + 1, 60_000)))
            if count > 0 { return }
            if count < 0, errno != EINTR {
                throw SharedStoreError("The connection cannot be waited for: \(String(cString: strerror(errno))).")
            }
        }
    }
}
#endif
