import Foundation

@testable import Catena

extension FuzzTarget {
    private static let received = Date(timeIntervalSince1970: 1_800_000_000)

    /// Cache headers and cached responses. No response is stored or used against its headers, times are numbers, and a file returns what was stored.
    static let caching = FuzzTarget(
        "caching",
        seeds: [
            "\u{0}\u{9}Cache-Control: max-age=60, must-revalidate\nETag: \"a\"\nVary: Accept, Origin\nAge: 10\n>Cache-Control: max-stale=5",
            "\u{1}\u{9}Expires: Wed, 21 Oct 2026 07:28:00 GMT\nDate: Wed, 21 Oct 2026 07:18:00 GMT\n>Accept: x\n>Pragma: no-cache",
            "\u{2}\u{5}Cache-Control: no-store, private=\"a, b\", max-age=1, max-age=2\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT",
            "\u{0}\u{9}Cache-Control: no-store\nSet-Cookie: a=1", "\u{0}\u{6}Cache-Control: no-cache, max-age=600",
            "\u{0}\u{40}cache-control: stale-while-revalidate=30, stale-if-error=9, max-age=\"7\"\nconnection: x-a\nx-a: 1\nVary: *",
        ],
        stepsPerByte: 1200
    ) { input in
        var input = FuzzInput(input)
        let policy = input.choice(among: [CachePolicy.protocol, .expire(.seconds(60)), .always, .offline, .never])
        let now = received.addingTimeInterval(Double(Int(input.byte()) - 5) * 30)
        var (sent, got) = (HTTPHeaders(), HTTPHeaders())
        for line in input.lines() {
            let isSent = line.hasPrefix(">")
            let name = (isSent ? line.dropFirst() : line[...]).prefix { $0 != ":" }
            let value = line[name.endIndex...].dropFirst().trimmingCharacters(in: .whitespaces)
            guard HeaderRules.isToken(String(name)) else { continue }
            if isSent { sent.add(value, for: String(name)) } else { got.add(value, for: String(name)) }
        }
        guard let address = try? HTTPAddress(parsing: "https://forum.example.com/rooms") else { return expect(false, "no address") }
        let request = HTTPRequest(method: .get, address: address, headers: sent)
        let response = HTTPResponse(status: 200, headers: got, body: Data(input.text.utf8), address: address)
        check(CacheRules(policy: policy), request, response, at: now)
        checkDirectives(got)
    }

    private static func check(_ rules: CacheRules, _ request: HTTPRequest, _ response: HTTPResponse, at now: Date) {
        let cached = CachedResponse(response, to: request, requested: received, received: received)
        let freshness = CacheFreshness(cached)
        expect(
            (freshness.age(at: now) ?? 0) >= 0 && (freshness.age(at: now) ?? 0).isFinite,
            "the age is \(String(describing: freshness.age(at: now)))")
        for guesses in [true, false] {
            let lifetime = freshness.lifetime(guesses: guesses)
            expect(lifetime >= 0 && lifetime.isFinite, "the lifetime is \(lifetime)")
        }
        expect(cached.fits(request), "what was kept does not fit its own request")
        let mayStore = rules.mayStore(response, to: request, sentTo: response.address)
        let (forbids, validates) = (says("no-store", response.headers), says("no-cache", response.headers))
        if rules.policy.mode == .protocol { expect(!mayStore || !forbids, "no-store was kept: \(response.headers.fields)") }
        switch rules.decide(request, cached, at: now) {
        case .use(let used, _):
            expect(used == cached && rules.policy.mode != .never, "another response is used")
            if rules.policy.mode == .protocol { expect(!validates, "no-cache was used unasked: \(response.headers.fields)") }
        case .useAndRefresh: expect(!validates && rules.policy.mode == .protocol, "no-cache was used unasked")
        case .validate(_, let asking): expect(asking.headers != request.headers, "nothing is asked")
        case .fetch: break
        case .unsatisfiable: expect(CacheRules.mustNotAsk(request), "the server is not asked")
        }
        let updated = cached.updated(by: response, to: request, requested: received, received: now)
        expect(updated?.body == cached.body, "a 304 has changed the body")
        let shown = cached.response(to: request, at: now)
        expect(
            shown.headers.values(for: "Age").count == 1 && shown.headers["Set-Cookie"] == nil && updated?.head.headers["Set-Cookie"] == nil,
            "\(shown.headers.fields)")
        let key = RequestKey(place: "a", digest: "b")
        guard let file = try? CacheFileFormat.encode(cached, for: key) else { return expect(false, "it cannot be written") }
        expect(CacheFileFormat.decode(file, of: key) == cached, "the file has another response")
        var broken = file
        broken[broken.startIndex + file.count / 2] ^= 1
        expect(
            CacheFileFormat.decode(broken, of: key) == nil && CacheFileFormat.decode(file.dropLast(), of: key) == nil,
            "a broken file is taken for whole")
    }

    /// Whether a header has a directive. Ignores quotes, so it only works for values without any.
    private static func says(_ name: String, _ headers: HTTPHeaders) -> Bool {
        let value = headers["Cache-Control"] ?? ""
        guard !value.contains("\"") else { return false }
        return value.lowercased().split(separator: ",").contains { $0.trimmingCharacters(in: [" ", "\t"]) == name }
    }

    /// Checks that two lines of a header equal one line with both values (RFC 9110 §5.3).
    private static func checkDirectives(_ headers: HTTPHeaders) {
        let values = headers.values(for: "Cache-Control")
        guard !values.isEmpty, values.allSatisfy({ $0.utf8.count { $0 == UInt8(ascii: "\"") }.isMultiple(of: 2) }) else { return }
        let control = CacheControl(headers)
        expect(control == CacheControl(["Cache-Control": values.joined(separator: ", ")]), "\(values) differ when they are joined")
        for name in ["max-age", "stale-if-error", "min-fresh"] {
            guard let seconds = control.seconds(name) else { continue }
            expect((0...2_147_483_648).contains(seconds), "\(name) is \(seconds)")
        }
    }
}
