#if os(Linux)
import CHiredis
import Foundation
import Glibc

/// A connection to a Redis server. Used by one thread at a time, and blocks that thread no longer than the given time.
final class RedisConnection {
    /// A failure before the first byte of a reply, which is likely if the server has closed an idle connection.
    struct Closed: Error {}

    /// The maximum length of a reply in bytes.
    private static let longestReply = 64 * 1024 * 1024

    private let context: UnsafeMutablePointer<redisContext>

    init(host: String, port: Int, until end: ContinuousClock.Instant) throws {
        guard let context = redisConnectNonBlock(host, Int32(clamping: port)) else {
            throw RedisError("There is no memory for a connection.")
        }
        self.context = context
        guard context.pointee.err == 0 else { throw RedisError("The server cannot be reached: \(Self.words(of: context)).") }
        try wait(for: POLLOUT, until: end)
        var (error, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        getsockopt(context.pointee.fd, SOL_SOCKET, SO_ERROR, &error, &length)
        guard error == 0 else { throw RedisError("The server cannot be reached: \(String(cString: strerror(error))).") }
        redisEnableKeepAlive(context)
        var yes = Int32(1)
        setsockopt(context.pointee.fd, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { redisFree(context) }

    /// Sends commands and returns a reply for each.
    func run(_ commands: [[Data]], until end: ContinuousClock.Instant) throws -> [RedisReply] {
        for command in commands { try append(command) }
        var isWritten = Int32(0)
        while true {
            guard redisBufferWrite(context, &isWritten) == REDIS_OK else { throw Closed() }
            if isWritten == 1 { break }
            try wait(for: POLLOUT, until: end)
        }
        var replies: [RedisReply] = []
        var hasRead = false
        while replies.count < commands.count {
            var reply: UnsafeMutablePointer<redisReply>?
            guard catena_redis_next_reply(context, &reply) == REDIS_OK else {
                throw RedisError("The server does not speak the protocol of Redis: \(Self.words(of: context)).")
            }
            if let reply {
                replies.append(RedisReply(reply.pointee))
                freeReplyObject(reply)
                continue
            }
            guard catena_redis_pending(context) <= Self.longestReply else { throw RedisError("A reply is too long.") }
            try wait(for: POLLIN, until: end)
            guard redisBufferRead(context) == REDIS_OK else {
                throw hasRead ? RedisError("The connection was lost: \(Self.words(of: context)).") : Closed()
            }
            hasRead = true
        }
        return replies
    }

    private func append(_ command: [Data]) throws {
        let words = command.map { [UInt8]($0) }
        let bytes = words.flatMap { $0 }
        let status = bytes.withUnsafeBufferPointer { bytes in
            // Not nil, even if all words are empty.
            var next = UnsafeRawPointer(bytes.baseAddress.map { UnsafeRawPointer($0) } ?? UnsafeRawPointer(bitPattern: 1))
            var pointers: [UnsafePointer<CChar>?] = []
            for word in words {
                pointers.append(next?.assumingMemoryBound(to: CChar.self))
                next = next.map { $0 + word.count }
            }
            return redisAppendCommandArgv(context, Int32(words.count), &pointers, words.map(\.count))
        }
        guard status == REDIS_OK else { throw RedisError("A command could not be written: \(Self.words(of: context)).") }
    }

    private func wait(for event: Int32, until end: ContinuousClock.Instant) throws {
        while true {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { throw RedisError("The server is too slow.") }
            var descriptor = pollfd(fd: context.pointee.fd, events: Int16(event), revents: 0)
            let count = poll(&descriptor, 1, Int32(min(left / .milliseconds(1) + 1, 60_000)))
            if count > 0 { return }
            if count < 0, errno != EINTR { throw RedisError("The connection cannot be waited for: \(String(cString: strerror(errno))).") }
        }
    }

    private static func words(of context: UnsafeMutablePointer<redisContext>) -> String {
        withUnsafeBytes(of: context.pointee.errstr) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
#endif
