#if canImport(Glibc)
import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// Names that Catena looks up itself.
@Suite(.limitedParallelism) struct NameResolverTests {
    /// Look-ups that wait until the test lets them end.
    private final class System: Sendable {
        private let waits = Mutex<[String: DispatchSemaphore]>([:])
        let asked = Recorder<String>()

        func look(_ name: String) throws -> [String] {
            asked.note(name)
            let wait = waits.withLock { $0[name] }
            wait?.wait()
            if name.hasPrefix("odd") { throw APIError(.dns, message: name) }
            return ["192.0.2.1", "2001:db8::1"]
        }

        func hold(_ name: String) -> DispatchSemaphore {
            let semaphore = DispatchSemaphore(value: 0)
            waits.withLock { $0[name] = semaphore }
            return semaphore
        }
    }

    @Test("a name is looked up once for all its callers, and again after a minute")
    func kept() async throws {
        let system = System()
        let moment = Mutex(ContinuousClock.now)
        let resolver = NameResolver(now: { moment.withLock { $0 } }) { try system.look($0) }
        let wait = system.hold("a.example")
        let both = [resolver.addresses(of: "a.example"), resolver.addresses(of: "a.example")]
        await system.asked.reached(1)
        wait.signal()
        for promise in both { #expect(try await promise.value == ["192.0.2.1", "2001:db8::1"]) }
        _ = try await resolver.addresses(of: "a.example").value
        #expect(system.asked.events == ["a.example"])
        moment.withLock { $0 += .seconds(61) }
        wait.signal()
        _ = try await resolver.addresses(of: "a.example").value
        #expect(system.asked.events == ["a.example", "a.example"])
    }

    @Test("a look-up that hangs delays no other look-up, and no caller that has cancelled it")
    func hanging() async throws {
        let system = System()
        let resolver = NameResolver { try system.look($0) }
        let wait = system.hold("hangs.example")
        let hanging = resolver.addresses(of: "hangs.example")
        await system.asked.reached(1)
        #expect(try await resolver.addresses(of: "b.example").value.count == 2)
        hanging.cancel()
        await #expect(throws: CancellationError.self) { try await hanging.value }
        wait.signal()
    }

    @Test("a failed look-up is not cached")
    func failure() async throws {
        let system = System()
        let resolver = NameResolver { try system.look($0) }
        for _ in 0..<2 {
            await #expect(throws: APIError.self) { try await resolver.addresses(of: "odd.example").value }
        }
        #expect(system.asked.events.count == 2)
    }

    @Test(
        "an IP address is recognized, so that it is not looked up", arguments: ["192.0.2.1", "[2001:db8::1]", "::1", "[fe80::1%25eth0]"],
        [true])
    func addresses(text: String, isAddress: Bool) {
        #expect(NameResolver.isAddress(text) == isAddress)
        #expect(!NameResolver.isAddress(text + ".example"))
    }

    #if os(Linux)
    @Test("hosts with equal addresses in any order share an alias, and hosts with different addresses do not")
    func alias() {
        let one = CurlRoute(to: "a.example", port: 443, at: ["192.0.2.1", "2001:db8::1"])
        let turned = CurlRoute(to: "a.example", port: 443, at: ["2001:db8::1", "192.0.2.1"])
        let other = CurlRoute(to: "a.example", port: 443, at: ["192.0.2.2"])
        #expect(one.connectTo == turned.connectTo && one.connectTo != other.connectTo)
        #expect(one.resolve.hasPrefix("+catena-") && one.resolve.hasSuffix(".invalid:443:192.0.2.1,[2001:db8::1]"))
        #expect(CurlRoute(toProxy: "proxy.example", port: 3128, at: ["192.0.2.1"]).resolve == "+proxy.example:3128:192.0.2.1")
    }

    @Test(
        "host and port of a proxy are read from its address",
        arguments: [
            ("http://proxy.example:3128", "proxy.example", 3128), ("proxy.example", "proxy.example", 1080),
            ("https://ann:made-up@proxy.example/", "proxy.example", 443), ("socks5h://p:1", "p", 1),
        ])
    func proxy(address: String, host: String, port: Int) {
        let place = CurlRoute.place(ofProxy: address)
        #expect(place?.host == host && place?.port == port)
    }

    @Test(
        "an invalid proxy address and one with an IP address have no name to look up",
        arguments: ["", "http://", "http://[::1]:3128", "http://a:b:c", "http://a:x", "http://a\0b"])
    func oddProxy(address: String) {
        #expect(CurlRoute.place(ofProxy: address) == nil)
    }
    #endif
}

extension UnhandledErrorTests {
    @Test("a name that is cached abandons no promise")
    func cachedName() async throws {
        let seen = Recorder<String>()
        PromiseDiagnostics.onUnhandledError = { report in
            if report.file.hasSuffix("NameResolver.swift") { seen.note("\(report.error)") }
        }
        defer { PromiseDiagnostics.onUnhandledError = nil }
        let resolver = NameResolver { _ in ["192.0.2.1"] }
        for _ in 0..<3 { #expect(try await resolver.addresses(of: "a.example").value == ["192.0.2.1"]) }
        #expect(seen.events.isEmpty)
    }
}
#endif
