import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("A refresh that returns another user's credential", .limitedParallelism)
struct OtherUserRefreshTests {
    private let stubs = Stubs()

    @Test(
        "a call is not sent with another user's credential that its refresh returned, and the next call belongs to that user",
        arguments: [
            // The expiry of the first credential, and what is sent with it: an expired one is refreshed before anything is sent.
            (nil, ["Bearer a"]), (Date(timeIntervalSince1970: 0), []),
        ] as [(Date?, [String?])])
    func another(expiry: Date?, expected: [String?]) async throws {
        let signIn = Authentication(BearerAuthenticator { _ in BearerToken(accessToken: "b", user: "8") })
        let client = Client(testing: stubs)
        client.configure("forum") { $0.authentication = signIn }
        try signIn.signIn(BearerToken(accessToken: "a", expiry: expiry, user: "7"))
        stubs.post("/pay").header("Authorization", "Bearer a").reply(status: 401)
        stubs.post("/pay").reply(data: 1)
        let error = await #expect(throws: APIError.self) { try await client.tag("forum").post("/pay").value(as: Int.self) }
        #expect(error?.kind == .missingCredential)
        #expect(stubs.requests.map { $0.headers["Authorization"] } == expected)
        #expect(try await client.tag("forum").post("/pay").value(as: Int.self) == 1)
        #expect(stubs.requests.last?.headers["Authorization"] == "Bearer b")
    }

    @Test(
        "a refresh that names the user for the first time, or no longer, lets the call continue",
        arguments: [(nil, "7"), ("7", nil)] as [(String?, String?)])
    func unknown(former: String?, renewed: String?) async throws {
        let signIn = Authentication(BearerAuthenticator { _ in BearerToken(accessToken: "b", user: renewed) })
        let client = Client(testing: stubs)
        client.configure("forum") { $0.authentication = signIn }
        try signIn.signIn(BearerToken(accessToken: "a", user: former))
        stubs.get("/me").header("Authorization", "Bearer a").reply(status: 401)
        stubs.get("/me").reply(data: 1)
        #expect(try await client.tag("forum").get("/me").value(as: Int.self) == 1)
        #expect(stubs.requests.last?.headers["Authorization"] == "Bearer b")
    }
}
