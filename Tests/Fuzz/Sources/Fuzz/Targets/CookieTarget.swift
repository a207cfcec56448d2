import Foundation

@testable import Catena

extension FuzzTarget {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let jarAddresses = [
        "https://forum.example.com/v1/rooms", "http://forum.example.com/", "https://127.0.0.1:8080/a/b", "https://[::1]/",
        "http://localhost/x",
    ]

    /// Cookies. A stored cookie is only sent where it may be, and keeps its meaning when it is set again.
    static let cookies = FuzzTarget(
        "cookies",
        seeds: [
            "\u{0}sid=abc; Path=/; HttpOnly; Secure; SameSite=Lax\na=1; Domain=example.com; Max-Age=3600\nb=2; Domain=.com",
            "\u{1}a=b; Expires=Wed, 21 Oct 2026 07:28:00 GMT; path=/x\n__Host-x=1; Secure; Path=/\n__Secure-y=2; Secure",
            "\u{2}a=1; Max-Age=-1\na=1; Max-Age=0\nname = value ; domain=127.0.0.1\n=x\nx\n",
            "\u{0}=x; Path=/\nx; Secure\n=__Host-a=1\na=1\t2; Path=/",
            "\u{1}a=1; Path=/xxxxxxxxxxxxxxxxxxxxxxxx; Domain=example.com; Domain=",
            "\u{3}é=日本; expires=Thu Jan 01 1970 00:00:00\na=\"q;r\"",
            "\u{4}a=1, b=2; Expires=Sun, 06-Nov-94 08:49:37 GMT, c=3; Max-Age=99999999999",
        ],
        stepsPerByte: 1500
    ) { input in
        var input = FuzzInput(input)
        let text = input.choice(among: jarAddresses)
        guard let address = try? HTTPAddress(parsing: text) else { return expect(false, "\(text) is no address") }
        let lines = input.lines()
        for line in lines { checkCookie(line, from: address) }
        checkJoined(lines)
        let jar = CookieJar(now: { now })
        jar.store(HTTPHeaders(lines.map { .init(name: "Set-Cookie", value: $0) }), from: address)
        let kept = jar.cookies
        expect(kept.count <= CookieShelf.mostCookies && kept.allSatisfy { $0.isWellFormed }, "\(kept)")
        for to in jarAddresses {
            guard let target = try? HTTPAddress(parsing: to), let header = jar.header(for: target) else { continue }
            expect(header.utf8.count <= CookieShelf.longestHeader, "a header of \(header.utf8.count) bytes")
            // A tab is allowed in a value (RFC 6265bis §5.6).
            expect(header.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }, "a control character in \(header)")
            let sent = header.components(separatedBy: "; ")
            for cookie in kept
            where sent.contains("\(cookie.name)=\(cookie.value)") && !kept.contains(where: { $0 != cookie && $0.name == cookie.name }) {
                expect(cookie.belongs(to: target, at: now), "\(cookie.name) of \(cookie.domain) goes to \(to)")
            }
            if target.host != address.host, !target.host.hasSuffix("example.com") { expect(false, "\(header) of \(text) goes to \(to)") }
        }
    }

    private static func checkCookie(_ line: String, from address: HTTPAddress) {
        guard let cookie = Cookie(parsing: line, from: address, at: now) else { return }
        expect(Cookie.matches(address.host, domain: cookie.domain), "\(address.host) has set a cookie of \(cookie.domain)")
        // Compare bytes, because a slash and a following combining mark are one `Character`.
        expect(cookie.path.utf8.first == UInt8(ascii: "/"), "the path is \(cookie.path)")
        expect(!cookie.isSecure || address.scheme == "https", "http has set a secure cookie")
        guard cookie.isWellFormed else { return }
        var written = "\(cookie.name)=\(cookie.value); Path=\(cookie.path)"
        if cookie.isSecure { written += "; Secure" }
        if !cookie.isHostOnly { written += "; Domain=\(cookie.domain)" }
        if let expires = cookie.expires { written += "; Expires=\(FuzzDates.text(of: expires, .fixed))" }
        // A default path may contain characters that cannot be written in a cookie.
        guard let again = Cookie(parsing: written, from: address, at: now) else {
            return expect(cookie.name.lowercased().hasPrefix("__host-") || cookie.path.contains(";"), "\(written) is no cookie")
        }
        expect(
            again.name == cookie.name && again.value == cookie.value && again.domain == cookie.domain, "\(cookie) is set again as \(again)")
        expect(again.path == cookie.path && again.isSecure == cookie.isSecure, "\(cookie) is set again as \(again)")
        if let expires = cookie.expires, FuzzDates.written.contains(expires.timeIntervalSince1970) {
            let difference = again.expires.map { abs($0.timeIntervalSince(expires)) } ?? .infinity
            expect(difference < 1, "\(written) ends at \(String(describing: again.expires))")
        }
    }

    /// The scalars but for spaces and commas, because a comma and a following combining mark are one `Character`.
    private static func letters(_ text: String) -> [Unicode.Scalar] { text.unicodeScalars.filter { $0 != " " && $0 != "," } }

    /// Checks that no character is lost when joined lines are split.
    private static func checkJoined(_ lines: [String]) {
        let joined = lines.joined(separator: ",")
        let apart = JoinedCookies.split(joined)
        expect(
            letters(apart.joined(separator: ",")) == letters(joined),
            "\(joined) is taken apart to \(apart)")
    }
}
