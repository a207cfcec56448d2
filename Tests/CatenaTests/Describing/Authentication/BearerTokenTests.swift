import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("The response of an OAuth token endpoint", .limitedParallelism)
struct BearerTokenTests {
    private let stubs = Stubs()

    private func token(_ body: String, snakeCase: Bool = false) async throws -> BearerToken {
        let client = Client(testing: stubs)
        if snakeCase {
            client.configureDefaults {
                let decoder = JSONDecoder()
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                $0.decoder = decoder
            }
        }
        stubs.post("/token").reply(body: Data(body.utf8), contentType: "application/json")
        return try await client.post("/token").value(as: BearerToken.self)
    }

    @Test(
        "the names of RFC 6749 §5.1 are read, and expires_in is a time from now", arguments: [false, true],
        ["3600", "3600.0", "\"3600\""])
    func names(snakeCase: Bool, lifetime: String) async throws {
        let body = #"{"access_token":"a1","token_type":"Bearer","refresh_token":"r1","scope":"x","expires_in":\#(lifetime)}"#
        let before = Date()
        let token = try await token(body, snakeCase: snakeCase)
        #expect(token.accessToken == "a1" && token.refreshToken == "r1" && token.user == nil)
        let expiry = try #require(token.expiry)
        #expect(expiry >= before + 3600 && expiry <= Date() + 3600)
    }

    @Test(
        "a response may have members of any form that RFC 6749 §5.1 does not define", arguments: [false, true],
        [
            #""user":{"id":7}"#, #""user":7"#, #""user":["7"]"#, #""user":null"#, #""expiry":"2026-01-02T03:04:05Z""#,
            #""expiry":1767225600"#, #""expiry":{}"#,
        ])
    func undefinedMembers(snakeCase: Bool, member: String) async throws {
        let token = try await token(#"{"access_token":"a1","token_type":"Bearer",\#(member)}"#, snakeCase: snakeCase)
        #expect(token == BearerToken(accessToken: "a1"))
    }

    @Test("a user that a response names as text is read", arguments: [false, true])
    func user(snakeCase: Bool) async throws {
        let token = try await token(#"{"access_token":"a1","token_type":"Bearer","user":"7"}"#, snakeCase: snakeCase)
        #expect(token == BearerToken(accessToken: "a1", user: "7"))
    }

    @Test(
        "a token with its own member names has a user that is text, and an expiry that is a date",
        arguments: [#""user":7"#, #""expiry":"x""#])
    func ownForm(member: String) async throws {
        let error = await #expect(throws: APIError.self) { try await token(#"{"accessToken":"a1",\#(member)}"#) }
        #expect(error?.kind == .decoding)
    }

    @Test("a token is decoded from its own member names, too, and an encoded token is read back unchanged")
    func ownNames() async throws {
        #expect(try await token(#"{"accessToken":"a1","refreshToken":"r1"}"#) == BearerToken(accessToken: "a1", refreshToken: "r1"))
        let token = BearerToken(accessToken: "a", refreshToken: "r", expiry: Date(timeIntervalSince1970: 5), user: "7")
        #expect(try JSONDecoder().decode(BearerToken.self, from: JSONEncoder().encode(token)) == token)
    }

    @Test("a response without an access token is a decoding error", arguments: [#"{"refresh_token":"r"}"#, #"{"access_token":7}"#, "{}"])
    func missing(body: String) async throws {
        let error = await #expect(throws: APIError.self) { try await token(body) }
        #expect(error?.kind == .decoding)
    }

    @Test("a lifetime that is not a number is ignored", arguments: ["null", "\"soon\"", "-1e400", "true"])
    func unusableLifetime(text: String) throws {
        let data = Data(#"{"access_token":"a","expires_in":\#(text)}"#.utf8)
        if let token = try? JSONDecoder().decode(BearerToken.self, from: data) { #expect(token.expiry == nil) }
    }

    @Test("a refresh keeps the former refresh token and user if the new token has none (RFC 6749 §6)")
    func kept() async throws {
        let old = BearerToken(accessToken: "a0", refreshToken: "r0", expiry: Date(timeIntervalSince1970: 5), user: "7")
        let scheme = BearerAuthenticator { _ in BearerToken(accessToken: "a1") }
        #expect(try await scheme.refresh(old) == BearerToken(accessToken: "a1", refreshToken: "r0", user: "7"))
        let rotating = BearerAuthenticator { _ in BearerToken(accessToken: "a1", refreshToken: "r1", user: "8") }
        #expect(try await rotating.refresh(old) == BearerToken(accessToken: "a1", refreshToken: "r1", user: "8"))
    }

    @Test("a refresh that returns another user's token does not keep the former user's refresh token")
    func another() async throws {
        let old = BearerToken(accessToken: "a0", refreshToken: "r0", user: "7")
        let scheme = BearerAuthenticator { _ in BearerToken(accessToken: "a1", user: "8") }
        #expect(try await scheme.refresh(old) == BearerToken(accessToken: "a1", user: "8"))
    }
}
