import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("Messages for the user", .limitedParallelism)
struct ErrorWordsTests {
    @Test("every sentence exists in each language and differs from all others")
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

    @Test("the first preferred language with sentences is used, else English", arguments: languages.indices)
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
    private struct Silent: LocalizedError {
        var errorDescription: String? { "" }
    }

    /// The text of an `NSError` whose words are "words". On Linux, only full Foundation can ask for them.
    #if canImport(Darwin)
    private static let foundationWords = "words"
    #else
    private static let foundationWords = ErrorSentence.unknown.english
    #endif

    static let rows: [(error: APIError, words: String)] = [
        (
            APIError(.timeout, message: "The attempt took longer than its timeout of 10.0 seconds, while it was waiting for the response."),
            ErrorSentence.timeout.english
        ),
        (APIError(.offline), ErrorSentence.offline.english),
        (APIError(.dns), ErrorSentence.unknownHost.english),
        (APIError(.connect), ErrorSentence.unreachable.english),
        (APIError(.tls), ErrorSentence.insecure.english),
        (APIError(.connectionLost), ErrorSentence.interrupted.english),
        (APIError(.tooManyRedirects), ErrorSentence.redirected.english),
        (APIError(.redirect), ErrorSentence.redirected.english),
        (APIError(.bodyTooLarge), ErrorSentence.tooLargeResponse.english),
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
        // Messages of the backend, the app or another library.
        (APIError(.business, code: 10086, message: "Out of stock"), "Out of stock"),
        (APIError(.status, message: "Expired", status: 401), "Expired"),
        (APIError(.init("quota"), message: "No more today."), "No more today."),
        (APIError(.init("quota")), ErrorSentence.unknown.english),
        (APIError(.other, message: "The app's own words"), "The app's own words"),
        (.wrapping(Spoken()), "in its own words"),
        (.wrapping(NSError(domain: "d", code: 1, userInfo: [NSLocalizedDescriptionKey: "words"])), foundationWords),
        (.wrapping(Refusal()), ErrorSentence.unknown.english),
        // An empty message is none.
        (.wrapping(Silent()), ErrorSentence.unknown.english),
        (.wrapping(NSError(domain: "d", code: 1, userInfo: [NSLocalizedDescriptionKey: ""])), ErrorSentence.unknown.english),
        // The message of a failed refresh is that of its cause.
        (.wrapping(APIError.refreshFailure(Spoken(), original: nil)), "in its own words"),
        (.wrapping(APIError.refreshFailure(APIError(.other, underlying: Spoken()), original: nil)), "in its own words"),
        (.wrapping(APIError.refreshFailure(APIError(.business, message: "Blocked"), original: nil)), "Blocked"),
        (.wrapping(APIError.refreshFailure(Refusal(), original: nil)), ErrorSentence.unknown.english),
        (.wrapping(PromiseError.abandoned), ErrorSentence.unknown.english),
        (.wrapping(PromiseError.timedOut), ErrorSentence.timeout.english),
    ]

    @Test("every error has a message that an app can show")
    func words() {
        each(Self.rows.indices) { row in
            #expect(Self.rows[row].error.words(in: ["en"]) == Self.rows[row].words)
        }
    }

    @Test("a 403 whose headers report an exhausted limit has the message of a rate limit")
    func usedUp() async throws {
        let headers: HTTPHeaders = ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "30"]
        let client = Client(transport: ClosureTransport { _ in .status(403, headers: headers) })
        let error = await #expect(throws: APIError.self) { try await client.host("https://example.com").get("/").value() }
        #expect(error?.words(in: ["en"]) == ErrorSentence.tooMany.english)
    }

    /// Returns the bundle of an app that has sentences of its own in these languages.
    private static func app(_ sentences: [String: [String: String]]) throws -> (bundle: Bundle, folder: ScratchFolder) {
        let folder = try ScratchFolder()
        for (language, table) in sentences {
            let place = folder.url.appending(path: "\(language).lproj")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            let text = table.map { "\"\($0.key)\" = \"\($0.value)\";" }.joined(separator: "\n")
            try Data(text.utf8).write(to: place.appending(path: "Localizable.strings"))
        }
        return (try #require(Bundle(url: folder.url)), folder)
    }

    @Test("sentences of the app's main bundle replace the library's, but not the backend's message")
    func appSentences() throws {
        let table = ["catena.error.offline": "No network.", "catena.error.notFound": "", "offline": "another's"]
        let (bundle, folder) = try Self.app(["en": table])
        withExtendedLifetime(folder) {
            ErrorSentence.$app.withValue(AppSentences(bundle)) {
                #expect(APIError(.offline).localizedDescription == "No network.")
                #expect(APIError(.offline, message: "for developers").localizedDescription == "No network.")
                #expect(APIError(.business, message: "the backend's").localizedDescription == "the backend's")
                // If the app's text is empty or missing, the error has the library's sentence instead of the key.
                for error in [APIError(.status, status: 404), APIError(.timeout)] {
                    let words = error.localizedDescription
                    #expect(!words.isEmpty && !words.contains("catena.error"))
                }
            }
        }
        #expect(APIError(.offline).localizedDescription != "No network.")
    }

    @Test(
        "the first preferred language in which the app or the library has a sentence is used",
        arguments: [
            (["de"], "de"), (["de-AT"], "de"), (["fr", "de"], "de"), (["zh-Hant"], "zh-Hant"), (["zh-TW"], "zh-Hant"), (["pt-BR"], "pt-BR"),
            (["pt-PT"], "pt-PT"), (["zh-Hans"], ErrorSentence.offline.simplifiedChinese), (["en", "de"], ErrorSentence.offline.english),
            (["zh-CN", "de"], ErrorSentence.offline.simplifiedChinese),
        ] as [([String], String)])
    func appLanguages(languages: [String], words: String) throws {
        let tables = ["de", "zh-Hant", "pt-BR", "pt-PT"].map { ($0, ["catena.error.offline": $0]) }
        let (bundle, folder) = try Self.app(Dictionary(uniqueKeysWithValues: tables))
        withExtendedLifetime(folder) {
            ErrorSentence.$app.withValue(AppSentences(bundle)) { #expect(APIError(.offline).words(in: languages) == words) }
        }
    }

    @Test("the guides list every key for an app's sentences")
    func keys() throws {
        for guide in ["Docs/Errors.md", "Docs/zh-Hans/Errors.md"] {
            let text = try String(contentsOf: URL.packageRoot.appending(path: guide), encoding: .utf8)
            let told = text.matches(of: /`catena\.error\.(\w+)`/).map { String($0.1) }
            #expect(Set(told) == Set(ErrorSentence.allCases.map(\.rawValue)), "\(guide)")
        }
    }

    @Test("the timeout of a promise is an error of kind timeout")
    func timedOut() {
        let error = APIError.wrapping(PromiseError.timedOut)
        #expect(error.kind == .timeout)
        #expect(error.code == 110)
        #expect(ErrorMatcher.timeout.matches(error))
    }

    @Test("an app's own texts replace all others, for each error that has one")
    func override() async throws {
        let client = Client(transport: ClosureTransport { request in .status(request.address.text.hasSuffix("/503") ? 503 : 404) })
        client.defaultHost = "https://example.com"
        func error(_ path: String) async throws -> APIError {
            try #require(await #expect(throws: APIError.self) { try await client.get(path).value() })
        }
        client.configureDefaults { $0.errorMessages = { error in error.status == 503 ? "Back at noon." : nil } }
        #expect(try await error("/503").localizedDescription == "Back at noon.")
        #expect(try await error("/503").message == "")
        #expect(try await error("/404").localizedDescription == APIError(.status, status: 404).localizedDescription)
        client.configureDefaults { $0.errorMessages = { _ in "" } }
        #expect(try await error("/404").localizedDescription == APIError(.status, status: 404).localizedDescription)
        client.configureDefaults { $0.errorMessages = { error in [.status: "状态"][error.kind] } }
        #expect(try await error("/404").localizedDescription == "状态")
        client.configureDefaults { $0.errorMessages = { error in error.words(in: ["zh-Hans"]) } }
        #expect(try await error("/404").localizedDescription == ErrorSentence.notFound.simplifiedChinese)
        // The handler's error has the text, and a replacement gets a text of its own.
        client.onError { error, _ in
            error.localizedDescription == ErrorSentence.notFound.simplifiedChinese ? .replace(with: APIError(.offline)) : .proceed
        }
        #expect(try await error("/404").localizedDescription == ErrorSentence.offline.simplifiedChinese)
    }
}

extension AppSentences {
    /// The sentences of a bundle.
    init(_ bundle: Bundle) {
        let url = bundle.bundleURL
        self.init(languages: bundle.localizations) { key, language in
            let place = language.map { url.appending(path: "\($0).lproj") } ?? url
            return Bundle(url: place)?.localizedString(forKey: key, value: nil, table: nil)
        }
    }
}
