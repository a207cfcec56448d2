import CatenaTesting
import Testing

@testable import Catena

@Suite("Waits that errors state", .limitedParallelism)
struct RetryAfterTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test(
        "an error has the wait that a retry would observe, in each form of servers",
        arguments: [
            (["Retry-After": "7"], 7), (["Retry-After": "7s"], 7), (["Retry-After": "1m30s"], 90), (["Retry-After": "7, 9"], 9),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:44 GMT"], 7), (["Retry-After": "Sun, 06 Nov 1994 10:49:44 +0200"], 7),
            (["Retry-After": "1994-11-06T08:49:44Z"], 7), (["Retry-After-Ms": "7000"], 7), (["X-RateLimit-Reset-After": "7"], 7),
            (["X-RateLimit-Reset-Requests": "7s"], 7),
        ] as [(HTTPHeaders, Int)], [429, 503])
    func forms(form: (headers: HTTPHeaders, seconds: Int), status: Int) async throws {
        var headers = form.headers
        headers["Date"] = Self.date
        let stub = ClosureTransport { [headers] _ in TransportResponse(status: status, headers: headers) }
        let client = Client(transport: stub)
        client.onDiagnostic { _ in }
        let error = await #expect(throws: APIError.self) { try await client.absoluteURL("https://example.com/a").retry(.never).void() }
        #expect(error?.retryAfter == .seconds(form.seconds))
    }

    @Test(
        "a refusal for a time has its wait, and any other error has none",
        arguments: [(403, "7", 7), (413, "7", 7), (403, nil, nil), (503, nil, nil), (429, "soon", nil)])
    func refusals(status: Int, text: String?, seconds: Int?) async throws {
        let stub = ClosureTransport { _ in TransportResponse(status: status, headers: text.map { ["Retry-After": $0] } ?? [:]) }
        let error = await #expect(throws: APIError.self) {
            try await Client(transport: stub).absoluteURL("https://example.com/a").retry(.never).void()
        }
        #expect(error?.retryAfter == seconds.map { .seconds($0) })
    }
}
