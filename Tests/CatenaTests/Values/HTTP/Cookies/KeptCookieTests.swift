import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Stored cookies", .limitedParallelism)
struct KeptCookieTests {
    private let folder: ScratchFolder
    private var file: URL { folder.file("cookies.json") }

    init() throws { folder = try ScratchFolder() }

    private func jar(_ user: String?) -> CookieJar {
        CookieJar(store: FileCredentialStore(file: file)) { user }
    }

    private func store(_ lines: [String], in jar: CookieJar) throws {
        for line in lines { jar.store(["Set-Cookie": line], from: try HTTPAddress(parsing: "https://shop.example.com/")) }
    }

    @Test("persistent cookies are stored for the next process in a file that only its owner may read, and session cookies are not")
    func lasting() throws {
        let first = jar("7")
        try store(["sid=made-up; Max-Age=1000; Secure", "tab=1"], in: first)
        try first.save()
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path())
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let second = jar("7")
        #expect(second.cookies.map(\.name) == ["sid"])
        #expect(second.header(for: try HTTPAddress(parsing: "https://shop.example.com/")) == "sid=made-up")
        second.removeAll()
        try second.save()
        #expect(jar("7").cookies.isEmpty)
        #expect(folder.names == [])
    }

    @Test(
        "stored cookies belong to the signed-in user",
        arguments: [("7", "8", 0), ("7", nil, 0), (nil, "7", 1), (nil, nil, 1), ("7", "7", 1)] as [(String?, String?, Int)])
    func users(first: String?, then: String?, count: Int) throws {
        let kept = jar(first)
        try store(["sid=made-up; Max-Age=1000"], in: kept)
        try kept.save()
        let next = jar(then)
        #expect(next.cookies.count == count)
        try next.save()
        #expect(jar(then).cookies.count == count)
    }

    @Test("a jar drops its cookies when another user signs in, and keeps those from before the first sign-in")
    func change() throws {
        let user = Mutex<String?>(nil)
        let jar = CookieJar(store: FileCredentialStore(file: file)) { user.withLock { $0 } }
        try store(["sid=1; Max-Age=1000", "tab=1"], in: jar)
        user.withLock { $0 = "7" }
        #expect(jar.cookies.count == 2)
        user.withLock { $0 = "8" }
        #expect(jar.cookies.isEmpty)
        try store(["sid=2; Max-Age=1000"], in: jar)
        user.withLock { $0 = nil }
        #expect(jar.cookies.isEmpty)
    }

    @Test("save() throws if the file cannot be written, and an unreadable file counts as no cookies")
    func broken() throws {
        try Data("{".utf8).write(to: file)
        let jar = jar("7")
        #expect(jar.cookies.isEmpty)
        let nowhere = CookieJar(store: FileCredentialStore(file: file.appending(path: "deeper"))) { nil }
        try store(["sid=1; Max-Age=1000"], in: nowhere)
        #expect(throws: (any Error).self) { try nowhere.save() }
    }

    @Test("a cookie is encoded and decoded unchanged")
    func codable() throws {
        let cookie = Cookie(name: "a", value: "1", host: "shop.example.com")
        #expect(try JSONDecoder().decode(Cookie.self, from: JSONEncoder().encode(cookie)) == cookie)
        #expect(!"\(KeptCookies(user: "7", entries: [.init(cookie: cookie, setter: "shop.example.com")]))".contains("=1"))
    }

    @Test("the app's own list of public suffixes decides for which domains a cookie may be set")
    func suffixes() throws {
        let jar = CookieJar { domain in domain == "pages.example" }
        for (host, domain, to, isSent) in [
            ("ann.pages.example", "pages.example", "bob.pages.example", false),
            ("shop.example.com", "example.com", "www.example.com", true),
            ("pages.example", "pages.example", "ann.pages.example", false), ("pages.example", "pages.example", "pages.example", true),
        ] {
            jar.removeAll()
            jar.store(["Set-Cookie": "a=1; Domain=\(domain); Path=/"], from: try HTTPAddress(parsing: "https://\(host)/"))
            #expect((jar.header(for: try HTTPAddress(parsing: "https://\(to)/")) != nil) == isSent, "\(host) for \(domain) to \(to)")
        }
    }
}
