import Catena
import CatenaTesting
import Foundation
import TestSupport
import Testing

@Suite("Central error handlers", .limitedParallelism)
struct ErrorHandlerTests {
    private let journal = Recorder<String>()
    private let client: Client
    private let request: Request

    init() {
        client = Client(
            transport: ClosureTransport { request in
                request.address.text.hasSuffix("/good") ? .json("1") : .json(#"{"code":7,"msg":"closed"}"#, status: 500)
            })
        client.configure("forum") { $0.host = "https://forum.example.com" }
        request = client.tag("forum").get("/bad")
    }

    private func error(of request: Request) async -> (any Error)? {
        do {
            _ = try await request.value()
            return nil
        } catch {
            return error
        }
    }

    @Test("a handler receives every failed call once, with its request, by whichever terminal it was executed")
    func seesOnce() async throws {
        let journal = journal
        client.onError { error, request in
            journal.note("\(error.code) \(error.attempts) \(request.method) \(request.absoluteURL)")
            return .proceed
        }
        let call = request.retry(.exponential(limit: 1, baseDelay: .zero))
        #expect((await error(of: call) as? APIError)?.message == "closed")
        #expect((await call.execute(as: Int.self).result.error as? APIError)?.message == "closed")
        #expect((await call.execute(.response(as: Int.self)).result.error as? APIError)?.message == "closed")
        #expect((await call.execute(.void).catch { _ in }.catch { _ in }.result.error as? APIError)?.message == "closed")
        #expect(journal.events == Array(repeating: "7 2 GET https://forum.example.com/bad", count: 4))
    }

    @Test("a handler also receives failed sign-ins and refreshes, before the failures of the calls that wait for them")
    func seesSignIn() async throws {
        let journal = journal
        let stubs = Stubs()
        let client = Client(testing: stubs)
        let signIn = Authentication(
            BearerAuthenticator { _ in try await client.tag("forum").post("/token").value(as: BearerToken.self) })
        client.configure("forum") {
            $0.host = "https://forum.example.com"
            $0.authentication = signIn
        }
        client.onError { error, request in
            journal.note("\(error.status ?? 0) /\(request.absoluteURL.split(separator: "/").last ?? "")")
            return .proceed
        }
        stubs.post("/login").reply(status: 403)
        stubs.post("/token").reply(status: 400)
        stubs.get("/me").reply(status: 401)
        _ = await client.tag("forum").post("/login").authenticated(false).execute(.void).result
        #expect(journal.events == ["403 /login"])
        try signIn.signIn(BearerToken(accessToken: "made-up", user: "7"))
        _ = await client.tag("forum").get("/me").execute(.void).result
        #expect(journal.events == ["403 /login", "400 /token", "400 /me"])
    }

    @Test("a handler receives no successful, cancelled or previewed call")
    func seesNothingElse() async throws {
        let journal = journal
        client.onError { _, _ in
            journal.note("seen")
            return .proceed
        }
        #expect(try await client.tag("forum").get("/good").value(as: Int.self) == 1)
        let (gate, resolver) = Promise<Void>.pending()
        let cancelled = request.before { try await gate.value }.execute()
        cancelled.cancel()
        resolver.fulfill(())
        #expect(await cancelled.result.error is CancellationError)
        await #expect(throws: APIError.self) { try await request.header("bad name", "x").preview() }
        #expect(journal.events == [])
        #expect((await error(of: request.header("bad name", "x")) as? APIError)?.kind == .invalidRequest)
        #expect(journal.events == ["seen"])
    }

    @Test("the tag's handler runs first, and the client's handler receives its replacement")
    func order() async {
        let journal = journal
        client.configure("forum") { forum in
            forum.onError = { error, _ in
                journal.note("tag \(error.code)")
                return .replace(with: APIError(.business, code: 8, message: "other"))
            }
        }
        client.onError { error, _ in
            journal.note("client \(error.code)")
            return .proceed
        }
        #expect((await error(of: request) as? APIError)?.message == "other")
        #expect((await error(of: client.host("https://a.example.com").get("/bad")) as? APIError)?.message == "closed")
        #expect(journal.events == ["tag 7", "client 8", "client 7"])
    }

    @Test("a call that a handler silences ends as if it were cancelled")
    func stop() async {
        let journal = journal
        client.configure("forum") { $0.onError = { _, _ in .cancelSilently } }
        client.onError { _, _ in
            journal.note("client")
            return .proceed
        }
        let result = await request.execute()
            .then { _ in journal.note("then") }
            .catch { _ in journal.note("catch") }
            .recover { _ in 1 }
            .finally { journal.note("finally") }
            .result
        #expect(result.error is CancellationError)
        #expect(await error(of: request) is CancellationError)
        #expect(journal.events == ["finally"])
    }

    @Test("an error that a handler replaces with a cancellation ends the call as cancelled")
    func replacedByCancellation() async {
        client.onError { _, _ in .replace(with: APIError(.cancelled)) }
        #expect(await error(of: request) is CancellationError)
    }

    @Test("a handler may configure the client and make calls of its own")
    func reentrant() async {
        let (client, journal) = (client, journal)
        client.onError { _, request in
            client.onError { error, _ in
                journal.note("second \(error.code)")
                return .proceed
            }
            _ = try? await request.value()
            return .proceed
        }
        #expect(await error(of: request) is APIError)
        // The handler's call began after the handler had been replaced. The first call keeps the handler with which it began.
        #expect(journal.events == ["second 7"])
    }
}
