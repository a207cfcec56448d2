import Testing

@testable import Catena

@Suite("Challenges for Digest authentication", .limitedParallelism)
struct DigestChallengeTests {
    private static func text(_ reading: DigestChallenge.Reading) -> String {
        switch reading {
        case .none: "none"
        case .unusable(let reason): "unusable: \(reason)"
        case .usable(let challenge):
            "\(challenge.algorithm)\(challenge.isSession ? "-sess" : "") \(challenge.nonce)\(challenge.isStale ? " stale" : "")"
        }
    }

    static let rows: [(values: [String], expected: String)] = [
        ([], "none"), ([""], "none"), (["Basic realm=\"a\""], "none"), (["Negotiate", "NTLM TlRMTVNTUAAB=="], "none"),
        (["Digest realm=\"r\", nonce=\"n\", qop=\"auth\""], "md5 n"), (["dIGEST REALM=r,NONCE=n,QOP=AUTH"], "md5 n"),
        (["Digest realm=\"r\", nonce=\"n\", qop=\"auth-int,auth\", stale=TRUE, algorithm=SHA-256"], "sha256 n stale"),
        (["Digest realm=\"r\", nonce=\"n\", qop=auth, algorithm=\"MD5-sess\""], "md5-sess n"),
        (["Digest realm=\"r\", nonce=\"n\", qop=auth, algorithm=sha-256-SESS, stale=maybe"], "sha256-sess n"),
        (["Digest realm=\"a \\\"b\\\" \\\\c, d\", nonce=\"n,=\\\"\", qop=\"auth\", opaque=\"\""], "md5 n,=\""),
        // Several challenges, in one field or in more.
        ([Self.md5, Self.sha256], "sha256 two"), (["\(Self.sha256), \(Self.md5)"], "sha256 two"),
        (["Basic realm=\"x, Digest nonce=\\\"0\\\"\", \(Self.md5), Bearer abc==, \(Self.sha256)"], "sha256 two"),
        (["Negotiate abc==, \(Self.md5)"], "md5 one"), (["Negotiate, \(Self.md5)"], "md5 one"), ([",, ,\(Self.md5),,"], "md5 one"),
        ([Self.sha512, Self.md5], "md5 one"), ([Self.md5, Self.md5.replacing("one", with: "later")], "md5 one"),
        // A realm in any language, and no qop as in RFC 2069.
        (["Digest realm=\"Büro 7\", nonce=\"n\", qop=auth"], "md5 n"), (["Digest realm=\"r\", nonce=\"n\""], "md5 n"),
        (["Digest realm=r, nonce=old", "Digest realm=r, nonce=new, qop=auth"], "md5 new"),
        (["Digest realm=r, nonce=new, qop=auth", "Digest realm=r, nonce=old"], "md5 new"),
        (["Digest realm=r, nonce=one, qop=auth", "Digest realm=r, nonce=two, algorithm=SHA-256"], "sha256 two"),
        // Challenges that cannot be answered.
        (["Digest"], "unusable: it has no realm"), (["Digest realm=\"r\", qop=auth"], "unusable: it has no nonce"),
        (["Digest realm=\"r\", nonce=\"\", qop=auth"], "unusable: it has no nonce"),
        (
            ["Digest realm=\"r\", nonce=\"n\", algorithm=MD5-sess"],
            "unusable: its algorithm MD5-sess needs a qop, which it does not have"
        ),
        (["Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\""], "unusable: its qop is auth-int and not auth"),
        (["Digest realm=\"r\", nonce=\"n\", qop=\"authentic\""], "unusable: its qop is authentic and not auth"),
        ([Self.sha512], "unusable: its algorithm sha-512-256 is neither SHA-256 nor MD5"),
        (
            ["Digest realm=\"r\", nonce=\"n\", qop=auth, algorithm=\"MD5, SHA-256\""],
            "unusable: its algorithm md5, sha-256 is neither SHA-256 nor MD5"
        ),
        (["Digest realm=\"r\", nonce=\"n\", nonce=\"m\", qop=auth"], "unusable: it has two values for \"nonce\""),
        (["Digest realm=\"r\u{1}\", nonce=\"n\", qop=auth"], "unusable: its realm has characters that a header cannot have"),
        (["Digest realm=\"r\", nonce=\"é\", qop=auth"], "unusable: its nonce has characters that a header cannot have"),
        (["Digest realm=\"r\", nonce=\"n\u{1}\", qop=auth"], "unusable: its nonce has characters that a header cannot have"),
        (["Digest realm=\"r\", nonce=\"n\r\nX-Admin: 1\", qop=auth"], "unusable: its nonce has characters that a header cannot have"),
        (
            ["Digest realm=\"r\", nonce=\"n\", opaque=\"\(String(repeating: "o", count: 5000))\", qop=auth"],
            "unusable: its opaque is longer than 4096 bytes"
        ),
        // Malformed headers: what is complete before the fault counts.
        (["Digest realm=\"r\", nonce=\"n, qop=auth"], "none"), (["Digest realm=\"r\", nonce=\"n\\"], "none"),
        (["\(Self.md5), Digest realm=\""], "md5 one"),
        (["= , \(Self.md5)"], "none"), (["Digest realm=, nonce=\"n\", qop=auth"], "unusable: it has no realm"),
        (["\"Digest\" nonce=\"n\""], "none"),
        ([String(repeating: "Digest ", count: 10_000)], "none"), ([String(repeating: "a,", count: 8000) + Self.md5], "none"),
        ([String(repeating: ",", count: 16_000) + "Digest realm=r,nonce=n,qop=auth"], "md5 n"),
    ]

    static let md5 = "Digest realm=\"r\", nonce=\"one\", qop=\"auth\", algorithm=MD5"
    static let sha256 = "Digest realm=\"r\", nonce=\"two\", qop=\"auth\", algorithm=SHA-256"
    /// The challenge of RFC 7616 §3.9.2, whose algorithm Catena does not compute.
    static let sha512 = """
        Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", \
        opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true
        """

    @Test("the strongest challenge that can be answered is chosen, and a hostile one is not read further")
    static func strongestRows() {
        each(rows.indices) { Self().strongest(index: $0) }
    }

    func strongest(index: Int) {
        #expect(Self.text(DigestChallenge.strongest(in: Self.rows[index].values)) == Self.rows[index].expected)
    }

    @Test(
        "a next nonce is read from Authentication-Info, if there is exactly one that can be sent",
        arguments: [
            ("nextnonce=\"m\"", "m"), ("qop=auth, rspauth=\"00\", cnonce=\"c\", nc=00000001, nextnonce=\"m,n\"", "m,n"), ("", nil),
            ("nextnonce=\"\"", nil), ("nextnonce=\"m\", nextnonce=\"n\"", nil), ("nextnonce=\"é\"", nil), ("nextnonce=\"m", nil),
            ("rspauth=\"00\"", nil),
        ] as [(String, String?)])
    func next(value: String, nonce: String?) {
        #expect(DigestChallenge.nextNonce(in: [value]) == nonce)
    }
}
