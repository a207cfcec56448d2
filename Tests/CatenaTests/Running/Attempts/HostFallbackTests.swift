import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct HostFallbackTests {
    private let rewrite = HostRewrite(
        ["forum.example.com": "https://vpn.example.com/forum/", "forum.example.com:8443": "http://[::1]:80/b", "bad.example.com": "a b"])

    @Test(
        "hosts in the table are replaced, with their path before the request's own",
        arguments: [
            ("https://forum.example.com/a?x=1", "https://vpn.example.com/forum/a?x=1"),
            ("https://FORUM.example.com:8443/a", "http://[::1]/b/a"),
            ("https://forum.example.com:9/a", "https://forum.example.com:9/a"),
            ("https://else.example.com/a", "https://else.example.com/a"),
        ])
    func rewriting(from: String, to: String) throws {
        let request = HTTPRequest(method: .get, address: try HTTPAddress(parsing: from))
        #expect(try rewrite.rewriting(request).address.text == to)
    }

    @Test("an invalid address in the table rejects the call")
    func badTable() async throws {
        let client = silentClient { $0.intercept("rewrite", with: rewrite.intercept) }
        let error = await #expect(throws: APIError.self) { try await client.host("https://bad.example.com").get("/").value() }
        #expect(error?.kind == .invalidRequest && error?.message.hasPrefix("HostRewrite:") == true)
    }

    @Test("a rewritten request can be changed further, and its new address is normalized")
    func change() async throws {
        let stub = ClosureTransport { _ in .json(#"{"code": 0, "data": 1}"#) }
        let client = Client(transport: stub)
        let rewrite = HostRewrite(["forum.example.com": "https://vpn.example.com"]) { request in
            guard request.method == .put else { return }
            request.method = .patch
            request.address.append(path: "/_vpn?#/../é")
        }
        client.intercept("vpn", with: rewrite.intercept)
        try await client.host("https://forum.example.com").put("/a").query(["x": 1]).execute(.void).value
        #expect(stub.requests.map(\.sentLine) == ["PATCH https://vpn.example.com/a/%C3%A9?x=1"])
    }

    /// Runs two calls. The direct host fails with the error, the fallback host responds.
    private func run(_ error: APIError, _ method: HTTPMethod, then: HTTPMethod = .get) async -> (hosts: [String], isActive: Bool) {
        let stub = ClosureTransport { request in
            if request.address.host == "forum.example.com" { throw error }
            return .json(#"{"code": 0, "data": 1}"#)
        }
        let client = Client(transport: stub)
        let fallback = HostFallback(rewrite)
        client.intercept("proxy", with: fallback.intercept)
        client.defaultHost = "https://forum.example.com"
        _ = try? await client.path("/a").method(method).execute(.void).value
        _ = try? await client.path("/b").method(then).execute(.void).value
        return (stub.requests.map(\.address.host), fallback.isActive)
    }

    @Test(
        "a request that could not be sent uses the fallback host, and so do all later calls",
        arguments: [APIError.Kind.connect, .dns, .tls], [HTTPMethod.get, .post])
    func unsent(kind: APIError.Kind, method: HTTPMethod) async {
        let (hosts, isActive) = await run(APIError(kind), method)
        #expect(hosts == ["forum.example.com", "vpn.example.com", "vpn.example.com"])
        #expect(isActive)
    }

    @Test("a POST that may have arrived is not sent twice, but later calls use the fallback host")
    func slowPost() async {
        let (hosts, isActive) = await run(APIError(.timeout), .post)
        #expect(hosts == ["forum.example.com", "vpn.example.com"])
        #expect(isActive)
        #expect(await run(APIError(.timeout), .get).hosts == ["forum.example.com", "vpn.example.com", "vpn.example.com"])
    }

    @Test(
        "a status, a lost connection and a missing network do not activate the fallback host",
        arguments: [APIError.Kind.status, .connectionLost, .offline])
    func otherErrors(kind: APIError.Kind) async {
        let (hosts, isActive) = await run(APIError(kind, status: kind == .status ? 500 : nil), .get)
        #expect(hosts == ["forum.example.com", "forum.example.com"])
        #expect(!isActive)
    }

    @Test("the patience is measured on the client's clock, and after a reset the direct host is used again")
    func patience() async throws {
        let clock = VirtualClock()
        let (forever, resolver) = Promise<Void>.pending()
        let stub = ClosureTransport { request in
            if request.address.path == "/slow", request.address.host == "forum.example.com" { try await forever.value }
            return .json(#"{"code": 0, "data": 1}"#)
        }
        let client = Client(transport: stub, timers: clock)
        let fallback = HostFallback(rewrite, patience: .seconds(2))
        client.intercept("proxy", with: fallback.intercept)
        client.defaultHost = "https://forum.example.com"
        let answer = client.get("/slow").execute(as: Int.self)
        await clock.scheduled(.seconds(2))
        await stub.requestsReceived(1)
        clock.advance(by: .seconds(2))
        #expect(try await answer.value == 1)
        #expect(stub.requests.map(\.address.host) == ["forum.example.com", "vpn.example.com"])
        #expect(fallback.isActive)
        fallback.reset()
        #expect(!fallback.isActive)
        #expect(try await client.get("/a").value(as: Int.self) == 1)
        #expect(stub.requests.last?.address.host == "forum.example.com")
        resolver.fulfill(())
    }
}
