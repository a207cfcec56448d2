import Testing

@testable import Catena

@Suite("Answers of Digest authentication", .limitedParallelism)
struct DigestSessionsTests {
    private static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    private static let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"

    fileprivate static func challenge(_ text: String) throws -> DigestChallenge {
        guard case .usable(let challenge) = DigestChallenge.strongest(in: [text]) else { throw APIError(.other, message: "unusable") }
        return challenge
    }

    /// The challenge of RFC 7616 §3.9.1 with an algorithm.
    private static func example(_ algorithm: String) throws -> DigestChallenge {
        try challenge(
            """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), nonce="\(nonce)", \
            opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """)
    }

    private func answer(
        to challenge: DigestChallenge, user: String = "Mufasa", password: String = "Circle of Life", target: String = "/dir/index.html"
    ) throws -> String {
        var sessions = DigestSessions()
        _ = sessions.refused(at: "https://h", 0, challenge) { Self.clientNonce }
        let next = sessions.next(at: "https://h")
        let use = try #require(next)
        return use.authorization(user: user, password: password, method: "GET", target: target)
    }

    @Test(
        "the examples of RFC 7616 §3.9.1 have the responses of the RFC, and those of its sessions are computed alike",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"), ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
            ("MD5-sess", "e783283f46242139c486a698fec7211d"),
            ("SHA-256-sess", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
        ])
    func examples(algorithm: String, response: String) throws {
        #expect(
            try answer(to: Self.example(algorithm)) == """
                Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=\(algorithm), nonce="\(Self.nonce)", \
                nc=00000001, cnonce="\(Self.clientNonce)", qop=auth, response="\(response)", \
                opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
                """)
    }

    @Test("a challenge without qop has the response of RFC 2069, without a count and a nonce of the client")
    func withoutProtection() throws {
        let challenge = try Self.challenge("Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\"")
        #expect(
            try answer(to: challenge, password: "CircleOfLife") == """
                Digest username="Mufasa", realm="testrealm@host.com", uri="/dir/index.html", \
                nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", response="1949323746fe6a43ef61f9606e7febea"
                """)
    }

    @Test("a realm beyond ASCII is digested and sent as the server writes it, with and without qop", arguments: [", qop=auth", ""])
    func foreignRealm(protection: String) throws {
        let realm = "Büro \\\"7\\\""
        let sent = try answer(to: Self.challenge("Digest realm=\"\(realm)\", nonce=\"n\"\(protection)"), user: "ann", password: "made-up")
        #expect(sent.contains("realm=\"\(realm)\""))
        let key = MessageDigest.md5("ann:Büro \"7\":made-up").hex
        let middle = protection.isEmpty ? "n" : "n:00000001:\(Self.clientNonce):auth"
        let response = MessageDigest.md5("\(key):\(middle):\(MessageDigest.md5("GET:/dir/index.html").hex)").hex
        #expect(sent.contains("response=\"\(response)\""))
    }

    @Test("a user's name is sent in quotes, in the extended form outside ASCII, and as a digest if the server asks for it")
    func names() throws {
        let plain = "Digest realm=\"api@example.org\", nonce=\"n\", qop=auth, algorithm=SHA-256"
        #expect(try answer(to: Self.challenge(plain), user: "a\"b\\").contains(#"username="a\"b\\","#))
        #expect(try answer(to: Self.challenge(plain), user: "Jäsøn Doe").contains("username*=UTF-8''J%C3%A4s%C3%B8n%20Doe,"))
        let hashed = try answer(to: Self.challenge(plain + ", userhash=true, charset=UTF-8"), user: "Jäsøn Doe")
        #expect(hashed.contains("username=\"5a1a8a47df5c298551b9b42ba9b05835174a5bd7d511ff7fe9191d8e946fc4e7\""))
        #expect(hashed.hasSuffix(", userhash=true") && !hashed.contains("Jä") && !hashed.contains("J%C3"))
        // The decomposed form of the same name.
        #expect(try answer(to: Self.challenge(plain + ", userhash=true"), user: "Ja\u{308}søn Doe") == hashed)
        #expect(try !answer(to: Self.challenge("Digest realm=r, nonce=n, qop=auth")).contains("algorithm"))
    }

    /// Sessions for one origin.
    private struct Scene {
        var sessions = DigestSessions()
        let origin = "https://h"

        var serial: Int { sessions.serial(at: origin) }

        mutating func refused(_ nonce: String, isStale: Bool = false, after serial: Int? = nil) throws -> Bool {
            let challenge = try DigestSessionsTests.challenge("Digest realm=r, nonce=\(nonce), qop=auth, stale=\(isStale)")
            return sessions.refused(at: origin, serial ?? self.serial, challenge) { "c" }
        }

        mutating func use() -> String { sessions.next(at: origin).map { "\($0.session.nonce) \($0.count)" } ?? "none" }
    }

    @Test("no nonce is used twice with one count, whatever challenges follow")
    func counts() throws {
        var scene = Scene()
        var used: [String] = []
        for nonce in ["n", "m", "n", "o", "m"] {
            let isRepeated = try scene.refused(nonce, isStale: true)
            #expect(isRepeated)
            for _ in 0..<3 { used.append(scene.use()) }
        }
        #expect(Set(used).count == 15 && used.suffix(3) == ["m 4", "m 5", "m 6"])
        scene.sessions.replaceNonce(at: scene.origin, with: "n")
        used = [scene.use()]
        scene.sessions.forget(at: scene.origin, scene.serial)
        used.append(scene.use())
        _ = try scene.refused("n")
        used.append(scene.use())
        #expect(used == ["n 7", "none", "n 8"])
    }

    @Test("a challenge of one origin answers no other, and many origins and nonces are not kept for ever")
    func bounds() throws {
        var sessions = DigestSessions()
        for number in 0..<2000 {
            let challenge = try Self.challenge("Digest realm=r, nonce=n\(number), qop=auth")
            _ = sessions.refused(at: "https://h\(number)", 0, challenge) { "c" }
            let (own, other) = (sessions.next(at: "https://h\(number)"), sessions.next(at: "https://other"))
            #expect(own?.session.nonce == "n\(number)" && other?.count == nil)
        }
        #expect(sessions.serial(at: "https://h0") == 0 && sessions.serial(at: "https://h1999") == 2000)
    }

    @Test("a refused answer is repeated only if its nonce was too old or has been replaced")
    func refusals() throws {
        var scene = Scene()
        var answers: [Bool] = []
        answers.append(try scene.refused("n"))
        answers.append(try scene.refused("n"))
        // Another call was sent before the challenge was known.
        answers.append(try scene.refused("n", after: 0))
        answers.append(try scene.refused("m"))
        answers.append(try scene.refused("m", isStale: true))
        #expect(answers == [true, false, true, true, true] && scene.serial == 3)
    }
}
