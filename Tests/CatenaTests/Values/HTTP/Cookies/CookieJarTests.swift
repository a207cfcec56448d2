import Catena
import CatenaTesting
import Foundation
import Testing

@Suite(.limitedParallelism) struct CookieJarTests {
    /// Sets a cookie on `/in`, redirects from `/away` and `/on`, and otherwise returns the received cookies.
    let stub = ClosureTransport { request in
        switch request.address.path {
        case "/in": .json("1", headers: ["Set-Cookie": "session=made-up; Path=/"])
        case "/on": .status(302, headers: ["Location": "/next", "Set-Cookie": "hop=1; Path=/"])
        case "/away": .status(302, headers: ["Location": "https://other.example/next"])
        default: .json(#"{"data": "\#(request.headers["Cookie"] ?? "none")", "code": 0}"#)
        }
    }

    func client() -> Client {
        let client = Client(transport: stub)
        client.configure("forum") {
            $0.host = "https://forum.example.com"
            $0.cookieJar = CookieJar()
        }
        client.configure("wallet") { $0.host = "https://forum.example.com" }
        return client
    }

    @Test("a cookie is sent back by the tag that has a jar, and by no other") func isBoundToItsTag() async throws {
        let client = client()
        try await client.tag("forum").get("/in").execute(.void).value
        #expect(try await client.tag("forum").get("/me").value(as: String.self) == "session=made-up")
        #expect(try await client.tag("wallet").get("/me").value(as: String.self) == "none")
    }

    @Test("a cookie that a redirect sets is sent with the next request") func redirectSets() async throws {
        #expect(try await client().tag("forum").get("/on").value(as: String.self) == "hop=1")
    }

    @Test("a cookie is not sent to another origin") func staysAtHome() async throws {
        let client = client()
        try await client.tag("forum").get("/in").execute(.void).value
        #expect(try await client.tag("forum").get("/away").value(as: String.self) == "none")
        #expect(stub.requests.map { $0.headers["Cookie"] } == [nil, "session=made-up", nil])
    }

    @Test("a Cookie header of the call replaces that of the jar") func ownHeaderWins() async throws {
        let client = client()
        try await client.tag("forum").get("/in").execute(.void).value
        #expect(try await client.tag("forum").get("/me").header("Cookie", "mine=1").value(as: String.self) == "mine=1")
    }

    @Test("a preview shows the cookies") func preview() async throws {
        let client = client()
        try await client.tag("forum").get("/in").execute(.void).value
        #expect(try await client.tag("forum").get("/me").preview().headers["Cookie"] == "session=made-up")
    }

    /// Sets cookies whose number and length are in the path, and otherwise returns the received cookies.
    private static func flood(_ request: HTTPRequest) -> TransportResponse {
        let numbers = request.address.path.split(separator: "/").compactMap { Int($0) }
        guard numbers.count == 3 else { return .json(#"{"data": "\#(request.headers["Cookie"] ?? "none")", "code": 0}"#) }
        var headers: HTTPHeaders = [:]
        for number in 0..<numbers[0] {
            headers.add("n\(numbers[2])-\(number)=\(String(repeating: "x", count: numbers[1])); Path=/", for: "Set-Cookie")
        }
        return .json("1", headers: headers)
    }

    private static func floodedClient() -> Client {
        let client = Client(transport: ClosureTransport { flood($0) })
        client.configureDefaults {
            $0.host = "https://forum.example.com"
            $0.cookieJar = CookieJar()
        }
        return client
    }

    @Test("a flood of cookies does not make the head too long, and the oldest cookies are sent") func longHeader() async throws {
        let client = Self.floodedClient()
        try await client.get("/1/10/0").execute(.void).value
        for round in 1...10 { try await client.get("/100/4000/\(round)").execute(.void).value }
        let sent = try await client.get("/").value(as: String.self)
        #expect(sent.utf8.count <= 16 * 1024)
        let many = Self.floodedClient()
        try await many.get("/3/4000/1").execute(.void).value
        try await many.get("/100/4000/2").execute(.void).value
        let first = try await many.get("/").value(as: String.self)
        #expect(first.contains("n1-0=") && first.contains("n1-1=") && first.contains("n1-2="))
        #expect(first.utf8.count <= 16 * 1024)
    }

    @Test("a host cannot evict the cookies of another one") func foreignFlood() async throws {
        let client = Self.floodedClient()
        try await client.get("/1/10/0").execute(.void).value
        for round in 1...5 { try await client.host("https://flood.example.org").get("/1000/1/\(round)").execute(.void).value }
        #expect(try await client.get("/").value(as: String.self).hasPrefix("n0-0="))
        let kept = try await client.host("https://flood.example.org").get("/").value(as: String.self)
        #expect(kept.split(separator: ";").count == 180)
        #expect(kept.contains("n5-999="))
    }

    @Test("many hosts together evict the cookies of the hosts with the most cookies") func manyHosts() async throws {
        let client = Self.floodedClient()
        try await client.get("/1/10/0").execute(.void).value
        // More cookies than a jar keeps, which is 3000.
        for host in 1...18 { try await client.host("https://h\(host).example.org").get("/180/1/1").execute(.void).value }
        #expect(try await client.get("/").value(as: String.self).hasPrefix("n0-0="))
    }

    /// Sets a secure cookie `sid` on `/in`. On `/flood` it sets one more cookie than a host may have, and over http another `sid`.
    private static func besieged(_ request: HTTPRequest) -> TransportResponse {
        switch request.address.path {
        case "/in": return .json("1", headers: ["Set-Cookie": "sid=victim; Path=/; Secure; Domain=example.com"])
        case "/flood":
            var headers: HTTPHeaders = [:]
            let attributes = request.address.scheme == "https" ? "; Secure" : ""
            for number in 0..<181 { headers.add("n\(number)=1; Path=/; Domain=example.com\(attributes)", for: "Set-Cookie") }
            // Over https a host of the site may set any cookie for the site.
            if request.address.scheme == "http" { headers.add("sid=attacker; Path=/; Domain=example.com", for: "Set-Cookie") }
            return .json("1", headers: headers)
        default: return .json(#"{"data": "\#(request.headers["Cookie"] ?? "none")", "code": 0}"#)
        }
    }

    @Test(
        "neither a response over http nor another host of the site can evict or replace a secure cookie",
        arguments: ["http://shop.example.com", "https://forum.example.com", "http://forum.example.com", "http://example.com"])
    func siege(_ origin: String) async throws {
        let client = Client(transport: ClosureTransport { Self.besieged($0) })
        client.configureDefaults {
            $0.host = "https://shop.example.com"
            $0.cookieJar = CookieJar()
        }
        try await client.get("/in").execute(.void).value
        try await client.host(origin).get("/flood").execute(.void).value
        let sent = try await client.get("/me").value(as: String.self)
        #expect(sent.contains("sid=victim"))
        #expect(!sent.contains("sid=attacker"))
    }

    /// Sets as many cookies as the path says, `Secure` ones over https, and otherwise returns the received cookies.
    private static func filling(_ request: HTTPRequest) -> TransportResponse {
        guard let count = Int(request.address.path.dropFirst()) else {
            return .json(#"{"data": "\#(request.headers["Cookie"] ?? "none")", "code": 0}"#)
        }
        var headers: HTTPHeaders = [:]
        let attributes = request.address.scheme == "https" ? "; Secure" : ""
        for number in 0..<count { headers.add("\(request.address.host)-\(number)=1; Path=/\(attributes)", for: "Set-Cookie") }
        return .json("1", headers: headers)
    }

    @Test("many hosts of a site evict no secure cookie of another host with cookies that are not secure") func fullJar() async throws {
        let client = Client(transport: ClosureTransport { Self.filling($0) })
        client.configureDefaults {
            $0.host = "https://shop.example.com"
            $0.cookieJar = CookieJar()
        }
        // The host with the most cookies has secure ones only.
        try await client.get("/170").execute(.void).value
        for host in 1...17 { try await client.host("http://h\(host).example.com").get("/169").execute(.void).value }
        let sent = try await client.get("/").value(as: String.self)
        #expect(sent.hasPrefix("shop.example.com-0=1"))
        #expect(sent.split(separator: ";").count == 170)
    }

    @Test("without a jar no cookie is stored") func offByDefault() async throws {
        let client = Client(transport: stub)
        client.defaultHost = "https://forum.example.com"
        try await client.get("/in").execute(.void).value
        #expect(try await client.get("/me").value(as: String.self) == "none")
    }
}
