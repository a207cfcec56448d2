import Foundation
import TestSupport
import Testing

@testable import Catena

private struct Refusal: Error, Equatable { let reason: String }

private struct Spoken: LocalizedError {
    var errorDescription: String? { "in its own words" }
}

/// An error that counts how often its description is read.
private struct Counted: Error, CustomStringConvertible {
    let described = Counter()

    var description: String {
        described.increment()
        return "made up, token=secret"
    }
}

@Suite("Errors", .limitedParallelism)
struct APIErrorTests {
    static let codes: [(error: APIError, code: ErrorCode)] = [
        (APIError(.business, code: 40001, status: 401), 40001),
        (APIError(.business, code: "E01"), "E01"),
        (APIError(.status, status: 404), 404),
        (APIError(.status, status: 302), 302),
        (APIError(.decoding, status: 200), -2),
        (APIError(.missingPayload, status: 204), -3),
        (APIError(.timeout), 110),
        (APIError(.timeout, status: 500), 110),
        (APIError(.offline), -1009),
        (APIError(.dns), -1003),
        (APIError(.connect), -1004),
        (APIError(.tls), -1200),
        (APIError(.connectionLost), -1005),
        (APIError(.cancelled), -999),
        (APIError(.invalidRequest), -1000),
        (APIError(.connect, code: 7), 7),
        (APIError(.init("ours")), -1),
    ]

    @Test("the code is the backend's, else the HTTP status, else the transport's", arguments: codes)
    func code(row: (error: APIError, code: ErrorCode)) {
        #expect(row.error.code == row.code)
        #expect((row.error as NSError).code == row.code.integer ?? -1)
    }

    @Test("a kind is identified by its name, also a kind that an app defines")
    func kind() {
        #expect(APIError.Kind("ours") == APIError.Kind("ours"))
        #expect(APIError.Kind("ours") != .other)
        #expect(Set([APIError.Kind("timeout"), .timeout]).count == 1)
        #expect("\(APIError.Kind.missingPayload)" == "missingPayload")
    }

    private static func refused() throws -> APIError {
        var error = APIError(.business, code: 5, message: "m", status: 400)
        error.request = RequestSummary(HTTPRequest(method: .get, address: try HTTPAddress(parsing: "https://forum.example.com/a?page=1")))
        return error
    }

    private static let changes: [(name: String, isEqual: Bool, change: @Sendable (inout APIError) throws -> Void)] = [
        ("kind", false, { $0.kind = .status }),
        ("code", false, { $0.code = 6 }),
        ("code as text", false, { $0.code = "5" }),
        ("message", false, { $0.message = "n" }),
        ("status", false, { $0.status = 401 }),
        ("no status", false, { $0.status = nil }),
        ("no request", false, { $0.request = nil }),
        (
            "method", false,
            {
                let address = try HTTPAddress(parsing: "https://forum.example.com/a?page=1")
                $0.request = RequestSummary(HTTPRequest(method: .post, address: address))
            }
        ),
        (
            "URL", false,
            {
                let address = try HTTPAddress(parsing: "https://forum.example.com/a?page=2")
                $0.request = RequestSummary(HTTPRequest(method: .get, address: address))
            }
        ),
        (
            "tag", true,
            {
                let address = try HTTPAddress(parsing: "https://forum.example.com/a?page=1")
                $0.request = RequestSummary(HTTPRequest(method: .get, address: address), tag: "forum")
            }
        ),
        ("nothing", true, { _ in }),
        ("response", true, { $0.response = ResponseSummary(status: 400, headers: ["Date": "now"]) }),
        ("body", true, { $0.body = Data("x".utf8) }),
        ("attempts", true, { $0.attempts = 3 }),
        ("underlying", true, { $0.underlying = Refusal(reason: "x") }),
        ("category", true, { $0.category = .retryable }),
        ("retryAfter", true, { $0.retryAfter = .seconds(1) }),
        ("traceID", true, { $0.traceID = "t" }),
        ("explanation", true, { $0.explanation = "e" }),
    ]

    @Test("two errors are equal if kind, code, message, status, method and URL are", arguments: changes.map(\.name))
    func equality(name: String) throws {
        let row = try #require(Self.changes.first { $0.name == name })
        var other = try Self.refused()
        try row.change(&other)
        #expect(try (other == Self.refused()) == row.isEqual)
        #expect(try (Self.refused() == other) == row.isEqual)
    }

    @Test("awaiting throws the backend's own error type, but not for the error of a refresh")
    func thrown() {
        var error = APIError(.business, code: 5, underlying: Refusal(reason: "y"))
        #expect(error.thrown as? APIError == error)
        error.contents.own = Refusal(reason: "x")
        #expect(error.thrown as? Refusal == Refusal(reason: "x"))
        let refresh = APIError.refreshFailure(error, original: nil) as? APIError
        #expect(refresh?.thrown is APIError)
        #expect((refresh?.underlying as? RefreshError)?.cause as? APIError == error)
    }

    /// Returns what is shown of an `NSError`: its message where there is full Foundation, or else its domain and code.
    private static func words(_ message: String, _ domainAndCode: String) -> String {
        #if canImport(Darwin)
        message
        #else
        domainAndCode
        #endif
    }

    @Test("an APIError is bridged to an NSError with domain, code, message and cause")
    func bridged() throws {
        let cause = NSError(domain: "Cause", code: 7, userInfo: [NSLocalizedDescriptionKey: "?token=made-up"])
        let error = APIError(.business, code: "61", message: "m", underlying: cause) as NSError
        #expect(error.domain == "Catena.APIError")
        #expect(error.code == 61)
        #expect(error.localizedDescription == "m")
        #if canImport(Darwin)
        // On Linux the library has no Foundation that would ask for more.
        #expect(error.userInfo[NSDebugDescriptionErrorKey] as? String == "business 61 · m · caused by Cause 7")
        let shown = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(shown.domain == "Cause")
        #expect(shown.code == 7)
        #expect(shown.userInfo.isEmpty)
        #endif
        #expect((APIError(.connect) as NSError).userInfo[NSUnderlyingErrorKey] == nil)
    }

    @Test("another error is wrapped, with its message and itself as the cause")
    func wrapping() {
        let refused = APIError.wrapping(Refusal(reason: "closed"))
        #expect(refused.kind == .other)
        #expect(refused.underlying as? Refusal == Refusal(reason: "closed"))
        #expect(refused.message == #"Refusal(reason: "closed")"#)
        #expect(APIError.wrapping(Spoken()).message == "in its own words")
        let foreign = NSError(domain: "d", code: 1, userInfo: [NSLocalizedDescriptionKey: "words"])
        #expect(APIError.wrapping(foreign).message == Self.words("words", "d 1"))
        #expect(APIError.wrapping(CancellationError()).kind == .cancelled)
        let own = APIError.wrapping(APIError(.tls, code: 5))
        #expect(own.kind == .tls)
        #expect(own.underlying == nil)
    }

    @Test("a wrapped error is described once, and only if the message is read")
    func described() async throws {
        let thrown = Counted()
        let kind = await Promise<APIError.Kind>(error: thrown).catch(as: Counted.self) { _ in }.recover { $0.kind }.result
        #expect(try kind.get() == .other)
        #expect(thrown.described.count == 0)
        var error = APIError.wrapping(thrown)
        let copy = error
        #expect(error.message == "made up, token=***")
        #expect(copy.message == error.message)
        #expect(copy == error)
        #expect(thrown.described.count == 1)
        error.message = "others"
        #expect((error.message, copy.message) == ("others", "made up, token=***"))
    }

    @Test("a message is redacted by the rules at the place where the error was wrapped")
    func hiddenLater() {
        let hiding = Redaction(adding: ["flavour"])
        let error = Redaction.$ofCall.withValue(hiding) { APIError.wrapping(Refusal(reason: "flavour=sweet")) }
        let atOnce = Redaction.$ofCall.withValue(hiding) { hiding.redact(text: #"Refusal(reason: "flavour=sweet")"#) }
        #expect(error.message == atOnce)
        #expect(!error.message.contains("sweet"))
    }

    @Test("a description is one line with kind, code, status, message, cause, request and attempts")
    func description() throws {
        var error = APIError(.business, code: 5, message: "a\r\nb\u{2028}c\u{0}d", status: 400, underlying: Refusal(reason: "x"))
        #expect("\(error)" == "business 5 · status 400 · a  b c d · caused by \((Refusal(reason: "x") as NSError).domain) 1")
        error = APIError(.status, status: 404)
        error.attempts = 3
        let address = try HTTPAddress(parsing: "https://forum.example.com/a?page=1&token=made-up")
        error.request = RequestSummary(HTTPRequest(method: .get, address: address))
        #expect("\(error)" == "status 404 · GET https://forum.example.com/a?page=1&token=*** · after 3 attempts")
        #expect(String(reflecting: error) == "\(error)")
    }

    @Test("a description says why a credential could not be refreshed, without secrets")
    func refreshCause() throws {
        var original = APIError(.status, status: 401)
        let address = try HTTPAddress(parsing: "https://forum.example.com/me?token=made-up")
        original.request = RequestSummary(HTTPRequest(method: .get, address: address))
        let refused = APIError.refreshFailure(APIError(.status, message: "token=made-up", status: 400), original: original)
        #expect(
            "\(refused)" == "status 400 · token=*** · caused by The credential could not be refreshed: status 400 · token=***; "
                + "it was needed because of: status 401 · GET https://forum.example.com/me?token=***")
        let url = URL(string: "https://forum.example.com/?token=made-up")
        let details: [String: Any] = [NSLocalizedDescriptionKey: "lost", NSURLErrorFailingURLErrorKey: url as Any]
        let cocoa = NSError(domain: "Cause", code: 7, userInfo: details)
        let lost = APIError.refreshFailure(cocoa, original: nil)
        let words = Self.words("lost", "Cause 7")
        let cause = "The credential could not be refreshed: other -1 · \(words) · caused by Cause 7"
        #expect("\(lost)" == "other -1 · \(words) · caused by \(cause)")
        let hiding = Redaction(adding: ["flavour"])
        let secret = Redaction.$ofCall.withValue(hiding) { "\(APIError.refreshFailure(Refusal(reason: "flavour=sweet"), original: nil))" }
        #expect(!secret.contains("sweet"))
        #expect(!(lost as NSError).debugDescription.contains("made-up"))
    }

    @Test("an error of a refresh that is thrown again is described once")
    func rethrownRefresh() {
        var error = APIError.refreshFailure(APIError(.offline, message: "no network"), original: nil) as? APIError
        for _ in 0..<100 {
            guard let refresh = error?.underlying else { break }
            error = APIError.refreshFailure(refresh, original: nil) as? APIError
        }
        #expect((error?.description.count ?? .max) < 5_000)
        let wrapped = (error?.underlying).map { APIError.wrapping($0).description }
        #expect(wrapped?.hasSuffix("caused by Catena.RefreshError 1") == true)
    }

    @Test("the description of a long message is bounded and still names the request")
    func bounded() throws {
        var error = APIError(.business, message: String(repeating: "x", count: 100_000))
        error.request = RequestSummary(HTTPRequest(method: .get, address: try HTTPAddress(parsing: "https://forum.example.com/a")))
        #expect(error.description.count < 3_000)
        #expect(error.description.hasSuffix("… · GET https://forum.example.com/a"))
        #expect(error.message.count == 100_000)
    }
}
