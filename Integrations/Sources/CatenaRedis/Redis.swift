#if os(Linux)
public import Catena
public import CatenaFleet
public import Foundation

/// A Redis or Valkey server that the machines of a fleet share, for cached responses, limits and a credential.
///
/// ```swift
/// let redis = Redis(host: "127.0.0.1", port: 6379)
/// API.configure(.forum) { forum in
///     forum.cache = .redis(redis)
///     forum.sharedLimits = redis
///     forum.authentication = Authentication(BearerAuthenticator { … }, shared: .redis(redis, "forum"))
/// }
/// ```
///
/// A thread of its own serves the single connection, so that no thread of Swift's pool waits. An operation fails if it takes longer than `timeout`. After a
/// timeout or a lost connection, every operation fails immediately for one second. If an operation fails, the call uses the state of its own machine.
/// Secrets are stored unencrypted.
public final class Redis: SharedStore {
    private let worker: RedisWorker
    private let prefix: String

    /// Describes a server. Connects at the first operation.
    ///
    /// - Parameters:
    ///   - host: The name or the address of the server.
    ///   - port: The port of the server.
    ///   - user: The user name of the connection, or `nil` for the server's default user.
    ///   - password: The password of the connection, or `nil` for none.
    ///   - database: The number of the database.
    ///   - prefix: The prefix of all keys. Services that must not share data need different prefixes.
    ///   - timeout: The time limit of an operation.
    public init(
        host: String = "127.0.0.1",
        port: Int = 6379,
        user: String? = nil,
        password: String? = nil,
        database: Int = 0,
        prefix: String = "catena",
        timeout: Duration = .milliseconds(250)
    ) {
        self.prefix = prefix
        var greeting: [[Data]] = []
        if let password { greeting.append(["AUTH"].utf8 + (user.map { [Data($0.utf8)] } ?? []) + [Data(password.utf8)]) }
        if database != 0 { greeting.append(["SELECT", "\(database)"].utf8) }
        worker = RedisWorker(host: host, port: port, greeting: greeting, timeout: timeout)
    }

    deinit { worker.stop() }

    public func read(_ keys: [String]) async throws -> SharedReading {
        let replies = try await worker.read([["TIME"].utf8, ["MGET"].utf8 + keys.map(name)])
        guard replies.count == 2, case .array(let time) = replies[0], case .array(let values) = replies[1], time.count == 2,
            values.count == keys.count, let seconds = time[0].number, let microseconds = time[1].number,
            (0..<9_000_000_000).contains(seconds), (0..<1_000_000).contains(microseconds),
            values.allSatisfy({ $0.data != nil || $0 == .nothing })
        else { throw SharedStoreError("The server's reply is not one to TIME and MGET.") }
        return SharedReading(values: values.map(\.data), time: .seconds(seconds) + .microseconds(microseconds))
    }

    public func write(_ value: Data?, for key: String, lifetime: Duration) async throws {
        let command =
            value.map { ["SET"].utf8 + [name(key), $0] + ["PX", Self.milliseconds(lifetime)].utf8 } ?? ["DEL"].utf8 + [name(key)]
        switch (value, try await worker.change(command)) {
        case (_?, .text("OK")), (nil, .number): return
        default: throw SharedStoreError("The server's reply is not one to SET or DEL.")
        }
    }

    /// Replaces a value; an empty text stands for none. Returns 1 also if the new value is stored already, because an operation whose reply was lost
    /// may be repeated by its caller.
    private static let replacement = """
        local now = redis.call('MGET', KEYS[1])[1] or ''
        if now == ARGV[2] then return 1 end
        if now ~= ARGV[1] then return 0 end
        if ARGV[2] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
        return 1
        """

    public func replace(_ former: Data?, with value: Data?, for key: String, lifetime: Duration) async throws -> Bool {
        let command =
            ["EVAL", Self.replacement, "1"].utf8 + [name(key), former ?? Data(), value ?? Data()] + [Self.milliseconds(lifetime)].utf8
        switch try await worker.change(command) {
        case .number(1): return true
        case .number(0): return false
        default: throw SharedStoreError("The server's reply is not one to EVAL.")
        }
    }

    private func name(_ key: String) -> Data { Data("\(prefix):\(key)".utf8) }

    private static func milliseconds(_ time: Duration) -> String {
        let limited = min(max(time, .milliseconds(1)), .seconds(10 * 365 * 86400))
        return String(Int(limited / .milliseconds(1)))
    }
}

extension ResponseCache {
    /// Makes a cache that all machines share. See ``ResponseCache/shared(_:limit:lifetime:localLimit:)``.
    public static func redis(_ redis: Redis, limit: Int = 1024 * 1024, lifetime: Duration = .seconds(24 * 3600)) -> ResponseCache {
        .shared(redis, limit: limit, lifetime: lifetime)
    }
}

extension SharedCredential {
    /// Makes a credential that all machines share. See ``SharedCredential/init(_:in:lease:)``.
    public static func redis(_ redis: Redis, _ name: String, lease: Duration = .seconds(10)) -> SharedCredential {
        SharedCredential(name, in: redis, lease: lease)
    }
}

extension [String] {
    /// The words of a command as data.
    var utf8: [Data] { map { Data($0.utf8) } }
}
#endif
