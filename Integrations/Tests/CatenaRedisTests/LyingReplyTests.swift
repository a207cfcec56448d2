#if os(Linux)
import CatenaFleet
import Foundation
import Glibc
import Synchronization
import Testing

@testable import CatenaRedis

/// A reply that no honest server sends.
struct Lie: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reply: [UInt8]
    /// The bytes that the server repeats behind the reply until the client closes the connection.
    var endless: [UInt8] = []
    /// Whether the server closes the connection after the reply.
    var isLast = false

    init(_ name: String, _ reply: String, endless: String = "", isLast: Bool = false) {
        (testDescription, self.reply, self.endless, self.isLast) = (name, Array(reply.utf8), Array(endless.utf8), isLast)
    }

    /// The honest replies to TIME and to MGET with two keys.
    static let time = "*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n"
    static let values = "*2\r\n$1\r\nA\r\n$1\r\nB\r\n"

    static let types = [
        Lie("a number", time + ":1\r\n"), Lie("a status", time + "+OK\r\n"), Lie("a string", time + "$1\r\nA\r\n"),
        Lie("nothing", time + "$-1\r\n"), Lie("no array", time + "*-1\r\n"), Lie("no time", "$-1\r\n" + values),
        Lie("numbers as values", time + "*2\r\n:1\r\n:2\r\n"), Lie("statuses as values", time + "*2\r\n+A\r\n+B\r\n"),
        Lie("arrays as values", time + "*2\r\n*1\r\n$1\r\nA\r\n*0\r\n"), Lie("an error as a value", time + "*2\r\n-ERR no\r\n$1\r\nB\r\n"),
        Lie("the other order", values + time), Lie("the values twice", values + values),
        Lie("one value", time + "*1\r\n$1\r\nA\r\n"), Lie("three values", time + "*3\r\n$1\r\nA\r\n$1\r\nB\r\n$1\r\nC\r\n"),
        Lie("a time that is no number", "*2\r\n$1\r\nx\r\n$1\r\n0\r\n" + values),
        Lie("a time before 1970", "*2\r\n$2\r\n-1\r\n$1\r\n0\r\n" + values),
        Lie("a time beyond all times", "*2\r\n$19\r\n9223372036854775807\r\n$1\r\n0\r\n" + values),
        Lie("errors", "-ERR no\r\n-ERR no\r\n"),
    ]

    static let lengths = [
        Lie("a length that never comes", time + "*2\r\n$5\r\nab"), Lie("a number of values that never comes", time + "*2\r\n"),
        Lie("10 GB", time + "*2\r\n$10737418240\r\nx"), Lie("10 GB that come", time + "*2\r\n$10737418240\r\n", endless: "x"),
        Lie("a length beyond 64 bits", time + "*2\r\n$99999999999999999999\r\nx"), Lie("a length of -2", time + "*2\r\n$-2\r\n"),
        Lie("a length that is no number", time + "*2\r\n$x\r\n"), Lie("an array of -2", time + "*-2\r\n"),
        Lie("2^31 values", time + "*2147483648\r\n"), Lie("2^31-1 values", time + "*2147483647\r\n"),
        Lie("2^61 values", time + "*2305843009213693952\r\n"), Lie("an array beyond 64 bits", time + "*99999999999999999999\r\n"),
        Lie("values without an end", time + "*2147483647\r\n", endless: ":1\r\n"),
        Lie("arrays of values without an end", time + "*1\r\n*1\r\n*2147483647\r\n", endless: "*0\r\n"),
        Lie("arrays 10,000 deep", time + String(repeating: "*1\r\n", count: 10_000) + ":1\r\n"),
        Lie("arrays of two 10,000 deep", time + String(repeating: "*2\r\n", count: 10_000)),
        Lie("a line without an end", "+", endless: "x"), Lie("an error without an end", "-", endless: "x"),
        Lie("a number without an end", ":", endless: "1"), Lie("a length without an end", "$", endless: "1"),
    ]

    static let forms = [
        Lie("garbage", "HTTP/1.1 400 Bad Request\r\n\r\n"), Lie("zeros", String(repeating: "\0", count: 100)),
        Lie("lines without CR", "*2\n$10\n1700000000\n$1\n0\n"), Lie("a line without CRLF", "+OK"),
        Lie("a string without CRLF", time + "*2\r\n$1\r\nA$1\r\nB"), Lie("a string longer than its length", time + "*2\r\n$1\r\nAAAA\r\n"),
        Lie("a message that is pushed", ">2\r\n+message\r\n+x\r\n" + time + values),
        Lie("a message in a push of Redis 5", "*3\r\n$7\r\nmessage\r\n$1\r\nx\r\n$1\r\ny\r\n" + time + values),
        Lie("a push between the replies", time + ">2\r\n+message\r\n+x\r\n" + values),
        Lie("a map", time + "%1\r\n$1\r\nA\r\n$1\r\nB\r\n"), Lie("a set", time + "~2\r\n$1\r\nA\r\n$1\r\nB\r\n"),
        Lie("null of RESP3", time + "_\r\n"), Lie("a boolean", time + "#t\r\n"), Lie("a double", time + ",1.5\r\n"),
        Lie("a big number", time + "(123\r\n"), Lie("a long error", time + "!5\r\nabcde\r\n"),
        Lie("an attribute", "|1\r\n+a\r\n+b\r\n" + time + values),
        Lie("all replies twice", time + values + time + values), Lie("a reply too many", time + values + "+OK\r\n"),
        Lie("a byte too many", time + values + "*"),
    ]

    static let ends = [
        Lie("no byte", "", isLast: true), Lie("the midst of a number", "*2\r\n$1", isLast: true),
        Lie("the midst of the time", String(time.prefix(15)), isLast: true), Lie("between the replies", time, isLast: true),
        Lie("the midst of a value", time + "*2\r\n$5\r\nab", isLast: true),
        Lie("before the last CRLF", time + "*2\r\n$1\r\nA\r\n$1\r\nB", isLast: true),
    ]
}

@Suite("A server that does not keep to the protocol of Redis") struct LyingReplyTests {
    private static func serve(_ lie: Lie) throws -> LyingServer {
        try LyingServer { connection in
            while connection.receive() != nil {
                guard connection.send(lie.reply), !lie.isLast else { return }
                let block = Array(repeatElement(lie.endless, count: lie.endless.isEmpty ? 0 : 16_384).joined())
                while !block.isEmpty, connection.send(block) {}
            }
        }
    }

    /// The largest memory of the process so far, in MB.
    private static var peak: Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss / 1024
    }

    private static func failure(of redis: Redis) async -> SharedStoreError? {
        do {
            let reading = try await redis.read(["a", "b"])
            Issue.record("a reading: \(reading.values)")
            return nil
        } catch {
            return error as? SharedStoreError
        }
    }

    @Test(
        "a reading ends with an error, in time and in bounded memory", .timeLimit(.minutes(1)),
        arguments: Lie.types + Lie.lengths + Lie.forms + Lie.ends)
    func reading(lie: Lie) async throws {
        let server = try Self.serve(lie)
        defer { server.stop() }
        let before = Self.peak
        let redis = Redis(port: server.port, timeout: .milliseconds(200))
        let error = try #require(await Self.failure(of: redis))
        #expect(!error.description.unicodeScalars.contains { $0.properties.generalCategory == .control })
        // The longest reply has 64 MB, and its buffer may have twice as many. Other tests run at the same time.
        #expect(Self.peak - before < 400)
    }

    @Test(
        "writing ends with an error unless the reply is one to the command",
        arguments: ["$2\r\nOK\r\n", "+QUEUED\r\n", "*0\r\n", "$-1\r\n", "+ok\r\n", ":1\r\n:1\r\n", "-ERR no\r\n", "_\r\n", ":0\r\n+OK\r\n"])
    func writing(reply: String) async throws {
        let server = try LyingServer(reply: reply)
        defer { server.stop() }
        let redis = { Redis(port: server.port, timeout: .milliseconds(200)) }
        await #expect(throws: SharedStoreError.self) { try await redis().write(Data("A".utf8), for: "a", lifetime: .seconds(60)) }
        await #expect(throws: SharedStoreError.self) {
            try await redis().replace(nil, with: Data("A".utf8), for: "a", lifetime: .seconds(60))
        }
    }

    @Test("a refusal of the server shows neither control characters nor the words of the command")
    func refusal() async throws {
        let server = try LyingServer { connection in
            while let bytes = connection.receive() {
                let command = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: " ")
                connection.send("-ERR \u{1B}[31m\u{7}\u{202E}no, with args beginning with: `\(command)`\r\n".utf8)
            }
        }
        defer { server.stop() }
        let redis = Redis(port: server.port, user: "ann", password: "made-up-password", timeout: .seconds(2))
        let error = try #require(await Self.failure(of: redis))
        let words = "ERR  [31m  no, with args beginning with: `*3 $4 AUTH $3 ***"
        #expect(error.description == "The server refuses: \(words)")
        let other = Redis(port: server.port, timeout: .seconds(2))
        let written = await #expect(throws: SharedStoreError.self) {
            try await other.write(Data("made-up-token".utf8), for: "a", lifetime: .seconds(60))
        }
        #expect(written?.description.contains("made-up") == false)
    }

    @Test("a refusal of a later command shows no word of the sign-in")
    func passwordOfBefore() async throws {
        let server = try LyingServer { connection in
            while let bytes = connection.receive() {
                let isSignIn = String(decoding: bytes, as: UTF8.self).contains("AUTH")
                connection.send(Array((isSignIn ? "+OK\r\n" : "-ERR made-up-password is yours\r\n-ERR no\r\n").utf8))
            }
        }
        defer { server.stop() }
        let redis = Redis(port: server.port, user: "ann", password: "made-up-password", timeout: .seconds(2))
        let error = try #require(await Self.failure(of: redis))
        #expect(error.description == "The server refuses: ERR ***")
    }

    /// Returns some of the words of a command.
    private static func words(_ command: [UInt8], among known: Set<String>) -> [String] {
        String(decoding: command, as: UTF8.self).split(separator: "\r\n").map(String.init).filter(known.contains)
    }

    /// Holds the thread of the worker with the command `GET hold` until the gate opens, so that later operations wait together. Returns whether it did.
    private static func holds(_ command: [UInt8], _ arrival: DispatchSemaphore, _ gate: DispatchSemaphore) -> Bool {
        guard words(command, among: ["hold"]) == ["hold"] else { return false }
        arrival.signal()
        gate.wait()
        return true
    }

    private static func waiting(_ count: Int, for worker: RedisWorker) async {
        while worker.waitingCount < count { await Task.yield() }
    }

    @Test("of the operations that wait together, only one whose own replies are too long fails, and no change is made twice")
    func others() async throws {
        let (long, short) = (String(repeating: "x", count: 100_000), "y")
        let changes = Mutex(0)
        let (arrival, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try LyingServer { connection in
            while let bytes = connection.receive() {
                if Self.holds(bytes, arrival, gate) { connection.send("$1\r\ny\r\n".utf8) }
                for word in Self.words(bytes, among: ["long", "short", "DEL"]) {
                    switch word {
                    case "long": connection.send("$\(long.utf8.count)\r\n\(long)\r\n".utf8)
                    case "short": connection.send("$\(short.utf8.count)\r\n\(short)\r\n".utf8)
                    default:
                        changes.withLock { $0 += 1 }
                        connection.send(":1\r\n".utf8)
                    }
                }
            }
        }
        defer { server.stop() }
        let worker = RedisWorker(host: "127.0.0.1", port: server.port, greeting: [], timeout: .seconds(30), longestBatch: 90_000)
        defer { worker.stop() }
        let first = Task { try await worker.read([["GET", "hold"].utf8]) }
        #expect(await Self.isSignalled(arrival))
        let results = await withTaskGroup { group in
            for number in 0..<9 {
                group.addTask {
                    if number.isMultiple(of: 2), number != 4 {
                        return (number, (try? await worker.change(["DEL", "a"].utf8)) == .number(1))
                    }
                    let replies = try? await worker.read([["GET", number == 4 ? "long" : "short"].utf8])
                    return (number, replies == [.data(Data("y".utf8))])
                }
            }
            await Self.waiting(9, for: worker)
            gate.signal()
            return await group.reduce(into: [Int: Bool]()) { $0[$1.0] = $1.1 }
        }
        #expect(try await first.value == [.data(Data("y".utf8))])
        #expect(results.filter { !$0.value }.keys.sorted() == [4])
        #expect(changes.withLock { $0 } == 4)
    }

    @Test("an operation whose time passes while it is sent alone fails, and the others have their replies")
    func lateAlone() async throws {
        let long = String(repeating: "x", count: 100_000)
        let (arrival, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let alone = Mutex<[String]>([])
        let server = try LyingServer { connection in
            while let bytes = connection.receive() {
                if Self.holds(bytes, arrival, gate) { connection.send("$1\r\ny\r\n".utf8) }
                let words = Self.words(bytes, among: ["long", "silent", "short"])
                if words.count == 1 { alone.withLock { $0 += words } }
                // Sent alone, this command has no reply.
                if words == ["silent"] { continue }
                for word in words {
                    let value = word == "long" ? long : "y"
                    connection.send("$\(value.utf8.count)\r\n\(value)\r\n".utf8)
                }
            }
        }
        defer { server.stop() }
        let worker = RedisWorker(host: "127.0.0.1", port: server.port, greeting: [], timeout: .seconds(30), longestBatch: 90_000)
        defer { worker.stop() }
        let first = Task { try await worker.read([["GET", "hold"].utf8]) }
        #expect(await Self.isSignalled(arrival))
        var calls: [Task<[RedisReply], any Error>] = []
        for word in ["long", "silent", "short"] {
            calls.append(Task { try await worker.read([["GET", word].utf8], within: word == "silent" ? .seconds(2) : .seconds(30)) })
            await Self.waiting(calls.count, for: worker)
        }
        gate.signal()
        #expect(try await first.value == [.data(Data("y".utf8))])
        #expect(await calls[0].failure == "The replies to the commands that were sent together are too long.")
        #expect(await calls[1].failure == "The server is too slow.")
        #expect(try await calls[2].value == [.data(Data("y".utf8))])
        #expect(alone.withLock { $0 } == ["long", "silent", "short"])
    }

    @Test("a change is not sent again after a lost connection, and its error says that it may have been carried out; a reading is")
    func lost() async throws {
        let sendings = Mutex(0)
        // Each connection carries one command out, and ends instead of replying to the second one.
        let server = try LyingServer { connection in
            for number in 1...2 {
                guard let bytes = connection.receive() else { return }
                let words = String(decoding: bytes, as: UTF8.self)
                if words.contains("DEL") { sendings.withLock { $0 += 1 } }
                if number == 2 { return }
                connection.send((words.contains("DEL") ? ":1\r\n" : Lie.time + "*1\r\n$1\r\nA\r\n").utf8)
            }
        }
        defer { server.stop() }
        let redis = Redis(port: server.port, timeout: .seconds(5))
        try await redis.write(nil, for: "a", lifetime: .seconds(60))
        let error = await #expect(throws: SharedStoreError.self) { try await redis.write(nil, for: "a", lifetime: .seconds(60)) }
        #expect(error?.description == "The connection was lost. The command may have been carried out.")
        #expect(sendings.withLock { $0 } == 2)
        // The server is well, so that the next operations have a new connection at once.
        for _ in 0..<2 { #expect(try await redis.read(["a"]).values == [Data("A".utf8)]) }
    }

    @Test("a change that was sent and has no reply in time may have been carried out, and one that was not sent may not")
    func unanswered() async throws {
        let server = try LyingServer { connection in while connection.receive() != nil {} }
        defer { server.stop() }
        let redis = Redis(port: server.port, timeout: .milliseconds(200))
        let sent = await #expect(throws: SharedStoreError.self) { try await redis.write(nil, for: "a", lifetime: .seconds(60)) }
        #expect(sent?.description == "The server is too slow. The command may have been carried out.")
        // The worker gives the server a second after a failure.
        let unsent = await #expect(throws: SharedStoreError.self) { try await redis.write(nil, for: "a", lifetime: .seconds(60)) }
        #expect(unsent?.description == "The server is too slow.")
    }

    /// The ways in which a server sends more than the replies.
    enum Surplus: String, CaseIterable { case atOnce, later, laterAndEnds }

    @Test("a key never gets the value of another key, whatever the server has sent before", arguments: Surplus.allCases)
    func otherKeys(surplus: Surplus) async throws {
        let sent = DispatchSemaphore(value: 0)
        // An honest server, in which the value of each key is the key, except that it sends each reply twice over the first connection.
        let server = try LyingServer { connection in
            while let bytes = connection.receive() {
                let words = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").filter { $0.hasPrefix("catena:") }
                let values = words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
                let reply = Array((Lie.time + "*\(words.count)\r\n" + values).utf8)
                guard connection.number == 1 else {
                    connection.send(reply)
                    continue
                }
                connection.send(surplus == .atOnce ? reply + reply : reply)
                if surplus != .atOnce { connection.send(reply) }
                sent.signal()
                if surplus == .laterAndEnds { return }
            }
        }
        defer { server.stop() }
        let redis = Redis(port: server.port, timeout: .seconds(5))
        let first = try? await redis.read(["a"])
        #expect(first.map { $0.values == [Data("catena:a".utf8)] } ?? true)
        // The second reply has arrived when the server has sent it, because both are on this machine.
        #expect(await Self.isSignalled(sent))
        if first == nil {
            // The worker gives the server a second after a failure.
            await #expect(throws: SharedStoreError.self) { try await redis.read(["b"]) }
        } else {
            #expect(try await redis.read(["b"]).values == [Data("catena:b".utf8)])
        }
    }

    private static func isSignalled(_ semaphore: DispatchSemaphore) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: semaphore.wait(timeout: .now() + 30) == .success) }.start()
        }
    }

    @Test("the replies to commands that are sent together have a bound for all of them, beside that of each", arguments: [3, 4])
    func batch(count: Int) async throws {
        let value = String(repeating: "x", count: 100_000)
        let server = try LyingServer { connection in
            while let bytes = connection.receive() {
                for word in String(decoding: bytes, as: UTF8.self).split(separator: "\r\n") where word == "GET" {
                    connection.send("$\(value.utf8.count)\r\n\(value)\r\n".utf8)
                }
            }
        }
        defer { server.stop() }
        let worker = RedisWorker(host: "127.0.0.1", port: server.port, greeting: [], timeout: .seconds(30), longestBatch: 350_000)
        defer { worker.stop() }
        let commands = (0..<count).map { ["GET", "\($0)"].utf8 }
        guard count > 3 else {
            // The bound is one of a batch, and not of a connection.
            for _ in 0..<2 { #expect(try await worker.read(commands).count == 3) }
            return
        }
        let error = await #expect(throws: SharedStoreError.self) { _ = try await worker.read(commands) }
        #expect(error?.description == "The replies to the commands that were sent together are too long.")
    }

    @Test("a reply that comes after its time is given to no other command")
    func late() async throws {
        let server = try LyingServer { connection in
            guard connection.receive() != nil else { return }
            if connection.number > 1 {
                connection.send((Lie.time + "*1\r\n$1\r\nB\r\n").utf8)
            } else {
                // The client ends the connection when its time is over.
                while connection.receive() != nil {}
                connection.send((Lie.time + "*1\r\n$1\r\nA\r\n").utf8)
            }
            while connection.receive() != nil {}
        }
        defer { server.stop() }
        let redis = Redis(port: server.port, timeout: .milliseconds(100))
        await #expect(throws: SharedStoreError.self) { try await redis.read(["a"]) }
        var value: Data?
        // The worker gives the server a second after a failure.
        while value == nil {
            try await Task.sleep(for: .milliseconds(100))
            value = try? await redis.read(["b"]).values.first ?? nil
        }
        #expect(value == Data("B".utf8))
    }
}

extension Task where Failure == any Error {
    /// The description of the error, or `nil` if there is a value.
    fileprivate var failure: String? {
        get async {
            if case .failure(let error) = await result { "\(error)" } else { nil }
        }
    }
}
#endif
