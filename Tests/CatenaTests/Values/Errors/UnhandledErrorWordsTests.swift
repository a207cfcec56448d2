import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

@Suite("Messages about unhandled errors", .limitedParallelism)
struct UnhandledErrorWordsTests {
    struct Members: Error {
        var account = "bob"
        var phrase = "s3cr3t"
    }

    enum Login: Error {
        case wrong(String)
        case closed
    }

    struct Written: LocalizedError {
        var errorDescription: String? = "No login at https://bob:s3cr3t@example.com/in?token=s3cr3t\nAuthorization: Bearer s3cr3t"
    }

    struct Described: Error, CustomStringConvertible {
        var description: String { #"refused {"password": "s3cr3t"}"# }
    }

    /// An error of an app, whose description has its user info.
    final class Subclass: NSError, @unchecked Sendable {}

    final class Cruel: Error, CustomStringConvertible {
        var description: String { String(repeating: "x\n", count: 1_000_000) }
    }

    @Test(
        "a message is one line without secrets, and has only the type of an error without a description of its own",
        arguments: [
            (Members(), ["UnhandledErrorWordsTests.Members"]), (Login.wrong("s3cr3t"), ["UnhandledErrorWordsTests.Login.wrong"]),
            (Login.closed, ["UnhandledErrorWordsTests.Login.closed"]),
            (Written(), ["Written 1: No login at https://***@example.com/in?token=***"]),
            (Described(), ["Described 1: refused"]),
            (NSError(domain: "D", code: 7, userInfo: [NSLocalizedDescriptionKey: "no, password=s3cr3t"]), ["D 7"]),
            (Subclass(domain: "D", code: 8, userInfo: ["NSURL": "https://example.com/s3cr3t"]), ["D 8"]),
            (CocoaError(.fileNoSuchFile, userInfo: ["NSURL": "https://example.com/?token=s3cr3t"]), ["NSCocoaErrorDomain 4"]),
            (PromiseError.abandoned, ["The promise was abandoned"]),
            (
                APIError(.business, code: 7, message: "closed\nfor token=s3cr3t", underlying: Members()),
                ["business 7 · closed for token=***"]
            ),
        ] as [(any Error, [String])])
    func words(error: any Error, parts: [String]) {
        let words = UnhandledErrorWords.words(of: error)
        for part in parts { #expect(words.contains(part), "\(words)") }
        #expect(!words.contains("s3cr3t"))
        #expect(!words.contains { $0.isNewline })
        #expect(words.count < 3000)
    }

    @Test("the message of any error is one line of bounded length")
    func long() {
        let words = UnhandledErrorWords.words(of: Cruel())
        #expect(words.contains("x x x") && words.count < 3000)
        let hasBreak = words.contains { $0.isNewline }
        #expect(!hasBreak)
    }

    @Test("of several failed promises, the message describes the first, and at most one level of nesting")
    func several() async throws {
        func failure(of promises: [Promise<Int>]) async throws -> any Error {
            try #require(await #expect(throws: (any Error).self) { try await Promise.any(promises).value })
        }
        let flat = try await failure(of: [Promise(error: Login.wrong("s3cr3t")), Promise(error: Members())])
        #expect(
            UnhandledErrorWords.words(of: flat)
                == "none of 2 succeeded, the first for this: \(UnhandledErrorWords.words(of: Login.wrong("")))")
        let nested = try await failure(of: [Promise(error: flat)])
        #expect(UnhandledErrorWords.words(of: nested) == "none of 1 succeeded")
    }

    @Test("secrets that a client knows by their value are hidden in errors that belong to no call")
    func knownSecrets() throws {
        let signIn = Authentication(BearerAuthenticator(), store: MemoryCredentialStore<BearerToken>())
        let error = Written(errorDescription: "refused for made-up-0123456789-unhandled")
        #expect(UnhandledErrorWords.words(of: error).contains("made-up-0123456789-unhandled"))
        try signIn.signIn(BearerToken(accessToken: "made-up-0123456789-unhandled"))
        #expect(UnhandledErrorWords.words(of: error).hasSuffix("refused for ***"))
        withExtendedLifetime(signIn) {}
    }

    @Test("secrets that only a tag declares are hidden in the errors of its calls")
    func secretsOfTag() async throws {
        let client = Client(transport: ClosureTransport { _ in .json(#"{"code": 7, "msg": "no: seed=s33d"}"#) })
        client.configureDefaults { defaults in
            defaults.host = "https://example.com"
            defaults.secrets = Secrets(params: "seed")
        }
        let error = try #require(
            await #expect(throws: APIError.self) { try await client.get("/a").params(["seed": "s33d"]).value() })
        let words = UnhandledErrorWords.words(of: error)
        #expect(words.contains("business 7") && words.contains("GET https://example.com/a?seed=***"), "\(words)")
        #expect(!words.contains("s33d"))
    }
}
