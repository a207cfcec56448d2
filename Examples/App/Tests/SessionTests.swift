import Catena
import CatenaTesting
import Testing

@testable import Topics

@MainActor
@Suite struct SessionTests {
    @Test("signing in sends no credential, and later calls carry the new one")
    func signIn() async throws {
        let backend = Backend(token: nil)
        backend.stubs.post("/login").header("Authorization", nil).json(["email": "a@example.com", "password": "made-up"])
            .reply(data: BearerToken(accessToken: "new", user: "7"))
        backend.stubs.get("/topics").header("Authorization", "Bearer new").reply(data: [Backend.tea])
        #expect(!backend.session.isSignedIn)
        await backend.session.signIn(email: "a@example.com", password: "made-up")
        await until { backend.session.isSignedIn }
        #expect(!backend.session.isBusy)
        await backend.list.refresh()
        #expect(backend.list.topics == [Backend.tea])
    }

    @Test("a wrong password is the forum's message")
    func wrongPassword() async {
        let backend = Backend(token: nil)
        backend.stubs.post("/login").reply(code: 10001, message: "The password is wrong.", status: 401)
        await backend.session.signIn(email: "a@example.com", password: "made-up")
        #expect(!backend.session.isSignedIn)
        #expect(backend.session.message == "The password is wrong.")
    }

    @Test("an expired token is refreshed, and the list notices nothing")
    func refresh() async throws {
        let backend = Backend(token: "old")
        backend.stubs.get("/topics").header("Authorization", "Bearer old").reply(status: 401)
        backend.stubs.post("/token").json(["refresh": "refresh"]).reply(data: BearerToken(accessToken: "new", user: "7"))
        backend.stubs.get("/topics").header("Authorization", "Bearer new").reply(data: [Backend.tea])
        await backend.list.refresh()
        #expect(backend.list.topics == [Backend.tea])
        #expect(backend.session.isSignedIn)
    }

    @Test("a session that cannot be refreshed ends, without an alert")
    func expired() async throws {
        let backend = Backend(token: "old")
        backend.stubs.get("/topics").reply(status: 401)
        backend.stubs.post("/token").reply(status: 401)
        await backend.list.refresh()
        await until { !backend.session.isSignedIn }
        #expect(backend.session.message == "Please sign in again.")
        #expect(backend.list.alert == nil && !backend.list.isLoading)
    }

    @Test("a session that cannot be refreshed for lack of a network continues, and the list says why")
    func offline() async throws {
        let backend = Backend(token: "old")
        backend.stubs.get("/topics").reply(status: 401)
        backend.stubs.post("/token").reply(.offline)
        await backend.list.refresh()
        #expect(backend.list.alert != nil)
        #expect(backend.session.isSignedIn && backend.session.message == nil)
    }

    @Test("signing out cancels what is under way, without an alert")
    func signOut() async throws {
        let backend = Backend()
        backend.stubs.get("/topics").reply(.unanswered)
        async let refresh: Void = backend.list.refresh()
        await backend.stubs.requestsReceived(1)
        backend.session.signOut()
        await refresh
        await until { !backend.session.isSignedIn }
        #expect(backend.list.alert == nil && !backend.list.isLoading)
    }
}
