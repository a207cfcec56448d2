#if os(Linux) && canImport(Glibc)
import CatenaTesting
import Foundation
import Testing

@testable import Catena

/// A host with several addresses, of which not all respond. Docs/Platforms.md says how long each version of libcurl takes.
@Suite(.limitedParallelism, .needsEngine)
struct CurlAddressesTests {
    /// A call that tries the addresses in their order; the server is at 127.0.0.1.
    private static func call(_ server: LoopbackServer, at addresses: [String], timeout: Duration) throws -> Request {
        let client = Client(transport: try CurlTransport())
        client.configure("forum") { forum in
            forum.host = "http://service.invalid:\(server.port)"
            forum.timeout = timeout
            forum.resolve("service.invalid", to: addresses)
        }
        return client.tag("forum").get("/a")
    }

    private static func server() throws -> LoopbackServer {
        let server = try LoopbackServer()
        server.get("/a") { _ in .json(text: "1") }
        return server
    }

    // Before 8.4 libcurl does not notice at once that this machine refuses a connection, unless it is to the first address.
    private static let most = CurlLibrary.leavesSilentAddresses ? 9 : 1

    @Test("addresses that refuse the connection are left at once", arguments: [1, most])
    func refused(count: Int) async throws {
        let server = try Self.server()
        let addresses = (20..<20 + count).map { "127.0.0.\($0)" } + ["127.0.0.1"]
        // Much less time than a second for each address.
        #expect(try await Self.call(server, at: addresses, timeout: .seconds(4)).value(as: Int.self) == 1)
    }

    @Test("if every address refuses the connection, the call fails at once and its error names the host")
    func allRefused() async throws {
        let closed = try #require(UnservedPort(.closed))
        let client = Client(transport: try CurlTransport())
        client.configure("forum") { forum in
            forum.host = "http://service.invalid:\(closed.port)"
            forum.timeout = .seconds(4)
            forum.resolve("service.invalid", to: (20...20 + Self.most).map { "127.0.0.\($0)" })
        }
        let error = await #expect(throws: APIError.self) { try await client.tag("forum").get("/a").execute(.void).value }
        #expect(error?.message == "The connection to service.invalid:\(closed.port) was refused.")
    }

    @Test("an address of the other family is tried while one does not respond", arguments: [["::1", "127.0.0.1"], ["127.0.0.1", "::1"]])
    func otherFamily(addresses: [String]) async throws {
        let server = try Self.server()
        guard let silent = SilentAddress("::1", port: server.port) else { return }
        #expect(try await Self.call(server, at: addresses, timeout: .seconds(4)).value(as: Int.self) == 1)
        withExtendedLifetime(silent) {}
    }

    /// The kind of a call. Different code keeps the time of each.
    enum Kind: String, CaseIterable, Sendable {
        case whole, watched, streamed

        func value(of call: Request) async throws -> Int? {
            switch self {
            case .whole: return try await call.value(as: Int.self)
            case .watched: return try await call.onProgress { _ in }.value(as: Int.self)
            case .streamed:
                var body = Data()
                for try await piece in call.stream() { body += piece }
                return Int(String(decoding: body, as: UTF8.self))
            }
        }
    }

    /// Returns the value of a server whose address comes after `count` silent ones.
    private static func valueBehind(silent count: Int, _ kind: Kind = .whole) async throws -> Int? {
        let server = try server()
        let places = (0..<count).map { "127.0.0.\(20 + $0)" }
        let silent = try places.map { try #require(SilentAddress($0, port: server.port)) }
        defer { withExtendedLifetime(silent) {} }
        return try await kind.value(of: try call(server, at: places + ["127.0.0.1"], timeout: .seconds(16)))
    }

    @Test(
        "after a silent address the next one of the same family is tried soon",
        .enabled(if: CurlLibrary.racesAddresses, "libcurl before 8.16 tries them in turn"),
        arguments: [1, 3, 9])
    func silent(count: Int) async throws {
        #expect(try await Self.valueBehind(silent: count) == 1)
    }

    @Test(
        "a silent address takes no more than its share of the attempt's time",
        .enabled(if: CurlLibrary.leavesSilentAddresses, "libcurl before 8.4 does not leave it by itself"),
        arguments: [(1, Kind.whole), (1, .watched), (1, .streamed), (2, .whole)])
    func share(count: Int, kind: Kind) async throws {
        #expect(try await Self.valueBehind(silent: count, kind) == 1)
    }

    @Test("a call to addresses that are all silent ends at its timeout")
    func allSilent() async throws {
        let server = try Self.server()
        let places = (0..<10).map { "127.0.0.\(20 + $0)" }
        let silent = try places.map { try #require(SilentAddress($0, port: server.port)) }
        let error = await #expect(throws: APIError.self) {
            try await Self.call(server, at: places, timeout: .milliseconds(300)).execute(.void).value
        }
        #expect(error?.kind == .timeout)
        withExtendedLifetime(silent) {}
    }
}
#endif
