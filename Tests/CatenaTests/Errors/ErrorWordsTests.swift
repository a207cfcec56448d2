import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Words for the user", .limitedParallelism)
struct ErrorWordsTests {
    @Test("every sentence is there in each language, once")
    func complete() {
        let sentences = ErrorSentence.allCases
        #expect(Set(sentences.map(\.english)).count == sentences.count)
        #expect(Set(sentences.map(\.simplifiedChinese)).count == sentences.count)
        #expect(sentences.allSatisfy { $0.english.hasSuffix(".") && $0.english.utf8.count == $0.english.count })
        #expect(sentences.allSatisfy { $0.simplifiedChinese.hasSuffix("。") })
    }

    static let languages: [(preferred: [String], isChinese: Bool)] = [
        (["zh-Hans"], true), (["zh-Hans-CN"], true), (["zh-CN"], true), (["zh_CN"], true), (["zh"], true), (["zh-SG"], true),
        (["ZH-hans"], true), (["zh-Hans-HK"], true),
        (["zh-Hant"], false), (["zh-TW"], false), (["zh-HK"], false), (["zh-Hant-CN"], false), (["en"], false),
        (["en-GB", "zh-Hans"], false),
        (["fr-FR", "zh-Hans"], true), (["fr-FR"], false), ([], false), ([""], false),
    ]

    @Test("the first language that there is counts, else English", arguments: languages.indices)
    func language(row: Int) {
        let (preferred, isChinese) = Self.languages[row]
        #expect(
            APIError(.timeout).words(in: preferred) == (isChinese ? ErrorSentence.timeout.simplifiedChinese : ErrorSentence.timeout.english)
        )
    }

    private struct Refusal: Error {}
    private struct Spoken: LocalizedError {
        var errorDescription: String? { "in its own words" }
    }

    static let rows: [(error: APIError, words: String)] = [
        (APIError(.timeout, message: "The attempt took longer than its limit of 10.0 seconds."), ErrorSentence.timeout.english),
        (APIError(.offline), ErrorSentence.offline.english),
        (APIError(.dns), ErrorSentence.unknownHost.english),
        (APIError(.connect), ErrorSentence.unreachable.english),
        (APIError(.tls), ErrorSentence.insecure.english),
        (APIError(.connectionLost), ErrorSentence.interrupted.english),
        (APIError(.tooManyRedirects), ErrorSentence.redirected.english),
        (APIError(.redirect), ErrorSentence.redirected.english),
        (APIError(.bodyTooLarge), ErrorSentence.tooLargeAnswer.english),
        (APIError(.decoding, message: "Cannot decode User"), ErrorSentence.unreadable.english),
        (APIError(.missingPayload, message: "m"), ErrorSentence.unreadable.english),
        (APIError(.protocolViolation, message: "m"), ErrorSentence.unreadable.english),
        (APIError(.decompression), ErrorSentence.unreadable.english),
        (APIError(.invalidRequest, message: "path: m"), ErrorSentence.unsent.english),
        (APIError(.cancelled), ErrorSentence.cancelled.english),
        (APIError(.requestBody, message: "m"), ErrorSentence.unsent.english),
        (APIError(.file, message: "m"), ErrorSentence.unsaved.english),
        (APIError(.checksum, message: "m"), ErrorSentence.unreadable.english),
        (APIError(.missingCredential, message: "m"), ErrorSentence.signedOut.english),
        (APIError(.excessiveRefresh, message: "m"), ErrorSentence.signedOut.english),
        (APIError(.overloaded, message: "m"), ErrorSentence.tooMany.english),
        (APIError(.rateLimited, message: "m"), ErrorSentence.tooMany.english),
        (APIError(.circuitOpen, message: "m"), ErrorSentence.unavailable.english),
        (APIError(.simulated, message: "m"), ErrorSentence.unknown.english),
        (APIError(.status, status: 400), ErrorSentence.refused.english),
        (APIError(.status, status: 401), ErrorSentence.signedOut.english),
        (APIError(.status, status: 403), ErrorSentence.forbidden.english),
        (APIError(.status, status: 404), ErrorSentence.notFound.english),
        (APIError(.status, status: 410), ErrorSentence.notFound.english),
        (APIError(.status, status: 408), ErrorSentence.timeout.english),
        (APIError(.status, status: 409), ErrorSentence.conflict.english),
        (APIError(.status, status: 413), ErrorSentence.tooLargeUpload.english),
        (APIError(.status, status: 422), ErrorSentence.invalidInput.english),
        (APIError(.status, status: 429), ErrorSentence.tooMany.english),
        (APIError(.status, status: 500), ErrorSentence.serverFault.english),
        (APIError(.status, status: 503), ErrorSentence.unavailable.english),
        (APIError(.status, status: 504), ErrorSentence.timeout.english),
        (APIError(.status, status: 304), ErrorSentence.refused.english),
        (APIError(.business, code: 10086), ErrorSentence.refused.english),
        // What the backend, the app or somebody else says.
        (APIError(.business, code: 10086, message: "Out of stock"), "Out of stock"),
        (APIError(.status, message: "Expired", status: 401), "Expired"),
        (APIError(.init("quota"), message: "No more today."), "No more today."),
        (APIError(.init("quota")), ErrorSentence.unknown.english),
        (APIError(.other, message: "The app's own words"), "The app's own words"),
        (.wrapping(Spoken()), "in its own words"),
        (.wrapping(NSError(domain: "d", code: 1, userInfo: [NSLocalizedDescriptionKey: "words"])), "words"),
        (.wrapping(Refusal()), ErrorSentence.unknown.english),
        (.wrapping(PromiseError.abandoned), ErrorSentence.unknown.english),
        (.wrapping(PromiseError.timedOut), ErrorSentence.timeout.english),
    ]

    @Test("there are words fit to show for everything", arguments: rows.indices)
    func words(row: Int) {
        #expect(Self.rows[row].error.words(in: ["en"]) == Self.rows[row].words)
    }

    @Test("a promise that ran out of time is a timeout")
    func timedOut() {
        let error = APIError.wrapping(PromiseError.timedOut)
        #expect(error.kind == .timeout)
        #expect(error.code == 110)
        #expect(ErrorMatcher.timeout.matches(error))
    }

    @Test("an app's own texts come first, for each error for which there is one")
    func override() async throws {
        let client = Client(transport: StubTransport { request in .status(request.address.text.hasSuffix("/503") ? 503 : 404) })
        client.defaultHost = "https://example.com"
        func error(_ path: String) async throws -> APIError {
            try #require(await #expect(throws: APIError.self) { try await client.get(path).value() })
        }
        client.errorMessages { $0.status == 503 ? "Back at noon." : nil }
        #expect(try await error("/503").localizedDescription == "Back at noon.")
        #expect(try await error("/503").message == "")
        #expect(try await error("/404").localizedDescription == APIError(.status, status: 404).localizedDescription)
        client.errorMessages([.status: "状态"])
        #expect(try await error("/404").localizedDescription == "状态")
        client.errorMessages { $0.words(in: ["zh-Hans"]) }
        #expect(try await error("/404").localizedDescription == ErrorSentence.notFound.simplifiedChinese)
        // The handler sees the words, and what it puts in place gets its own.
        client.onError { error, _ in
            error.localizedDescription == ErrorSentence.notFound.simplifiedChinese ? .replace(with: APIError(.offline)) : .proceed
        }
        #expect(try await error("/404").localizedDescription == ErrorSentence.offline.simplifiedChinese)
    }
}
