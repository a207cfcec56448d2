import CatenaPlatform

extension APIError {
    /// Returns a text for the app's user: the backend's message, otherwise a sentence in the first available of these languages.
    ///
    /// Catena has sentences in English and Simplified Chinese. The app's main bundle can replace them and add other languages.
    ///
    /// ```swift
    /// self.alert(error.words(in: ["zh-Hans"]))
    /// ```
    public func words(in languages: [String]) -> String {
        foreignWords ?? sentence.text(in: languages, app: ErrorSentence.app)
    }

    /// The text for the app's user: the app's sentence in its current language, otherwise one in a language that the user prefers.
    var preferredWords: String {
        foreignWords ?? sentence.text(of: ErrorSentence.app) ?? sentence.text(in: PreferredLanguages.current)
    }

    /// The message of the backend, the app or another library, if it is meant for users. Messages of Catena's steps are for developers.
    private var foreignWords: String? {
        if sentences[kind] != nil { return nil }
        guard kind == .other, let underlying else { return message.isEmpty ? nil : message }
        // A failed refresh says what its own error says.
        if let refresh = underlying as? RefreshError { return APIError.wrapping(refresh.cause).foreignWords }
        // A promise's own messages are for developers, too.
        return underlying is APIError || underlying is PromiseError ? nil : Self.words(of: underlying)
    }

    private var sentence: ErrorSentence {
        if let sentence = sentences[kind] { return sentence }
        switch status {
        case 401: return .signedOut
        case 403: return response?.headers.sayUsedUp(status: 403) ?? false ? .tooMany : .forbidden
        case 404, 410: return .notFound
        case 408, 504: return .timeout
        case 409, 412: return .conflict
        case 413: return .tooLargeUpload
        case 422: return .invalidInput
        case 429: return .tooMany
        case 502, 503: return .unavailable
        case .some(500...): return .serverFault
        default: return kind == .business || kind == .status ? .refused : .unknown
        }
    }
}

/// The sentences for kinds of failure without a backend message. Business and status errors have one, or get a sentence by their status.
private let sentences: [APIError.Kind: ErrorSentence] = [
    .timeout: .timeout, .offline: .offline, .dns: .unknownHost, .connect: .unreachable, .tls: .insecure,
    .connectionLost: .interrupted, .protocolViolation: .unreadable, .decompression: .unreadable, .decoding: .unreadable,
    .missingPayload: .unreadable, .bodyTooLarge: .tooLargeResponse, .redirect: .redirected, .tooManyRedirects: .redirected,
    .invalidRequest: .unsent, .requestBody: .unsent, .cancelled: .cancelled, .file: .unsaved, .checksum: .unreadable,
    .missingCredential: .signedOut, .excessiveRefresh: .signedOut, .overloaded: .tooMany, .rateLimited: .tooMany,
    .circuitOpen: .unavailable, .simulated: .unknown,
]

/// A sentence for the app's user about a failure that has no other message.
enum ErrorSentence: String, CaseIterable {
    // The names are keys in apps' string tables.
    case timeout, offline, unknownHost, unreachable, insecure, interrupted
    case unreadable, tooLargeResponse, redirected, unsaved
    case signedOut, forbidden, notFound, conflict, tooLargeUpload, invalidInput, tooMany, refused, unavailable, serverFault
    case unsent, cancelled, unknown

    var english: String { words.english }
    var simplifiedChinese: String { words.chinese }

    private var words: (english: String, chinese: String) {
        switch self {
        case .timeout: ("The server took too long to answer. Please try again.", "服务器响应超时，请重试。")
        case .offline: ("You seem to be offline. Please check your connection.", "网络似乎已断开，请检查网络连接。")
        case .unknownHost: ("The server could not be found. Please check your connection.", "找不到服务器，请检查网络连接。")
        case .unreachable: ("The server cannot be reached. Please try again later.", "无法连接到服务器，请稍后重试。")
        case .insecure: ("A secure connection to the server could not be made.", "无法与服务器建立安全连接。")
        case .interrupted: ("The connection was lost. Please try again.", "网络连接已中断，请重试。")
        case .unreadable: ("The server's response could not be read. Please try again later.", "无法读取服务器返回的内容，请稍后重试。")
        case .tooLargeResponse: ("The server's response is too large.", "服务器返回的内容过大。")
        case .redirected: ("The server points to an address that cannot be used.", "服务器指向了无法使用的地址。")
        case .unsaved: ("The file could not be read or saved.", "无法读取或保存文件。")
        case .signedOut: ("Please sign in again.", "登录已失效，请重新登录。")
        case .forbidden: ("You are not allowed to do this.", "您没有权限执行此操作。")
        case .notFound: ("What you are looking for is not there.", "您要找的内容不存在。")
        case .conflict: ("This was changed in the meantime. Please refresh and try again.", "内容已被更改，请刷新后重试。")
        case .tooLargeUpload: ("What you sent is too large.", "您提交的内容过大。")
        case .invalidInput: ("Please check what you entered and try again.", "输入的内容有误，请检查后重试。")
        case .tooMany: ("Too many requests. Please wait a moment and try again.", "请求过于频繁，请稍候再试。")
        case .refused: ("The server refused the request.", "服务器拒绝了请求。")
        case .unavailable: ("The service is not available at the moment. Please try again later.", "服务暂时不可用，请稍后重试。")
        case .serverFault: ("Something went wrong on the server. Please try again later.", "服务器出现问题，请稍后重试。")
        case .unsent: ("The request could not be made.", "无法发送请求。")
        case .cancelled: ("The request was cancelled.", "请求已取消。")
        case .unknown: ("Something went wrong. Please try again.", "出了点问题，请重试。")
        }
    }

    /// Returns the sentence in the first available of these languages, otherwise in English.
    func text(in languages: [String]) -> String {
        for language in languages { if let text = text(in: Language(language)) { return text } }
        return english
    }

    private func text(in language: Language) -> String? {
        switch language {
        case Language("en"): english
        case Language("zh-Hans"): simplifiedChinese
        default: nil
        }
    }

    /// The part of a language identifier that selects a sentence.
    private struct Language: Equatable {
        let name: Substring?
        let isTraditional: Bool

        init(_ identifier: String) {
            let parts = identifier.lowercased().split(whereSeparator: { $0 == "-" || $0 == "_" })
            name = parts.first
            // Traditional Chinese is a separate script, which the region implies if the identifier names no script (RFC 5646 §4.1).
            isTraditional = name == "zh" && !parts.contains("hans") && parts.contains(where: Self.traditional.contains)
        }

        private static let traditional: Set<Substring> = ["hant", "tw", "hk", "mo"]
    }
}

// Sentences of the app.
extension ErrorSentence {
    /// The app's own sentences, which tests replace.
    @TaskLocal static var app = AppSentences.main

    /// The key of the app's own sentence in its string table.
    var key: String { "catena.error.\(rawValue)" }

    /// Returns the app's own sentence in a language, or in the app's current one.
    func text(of app: AppSentences, in language: String? = nil) -> String? {
        guard let text = app.text(key, language), !text.isEmpty, text != key else { return nil }
        return text
    }

    /// Returns the sentence in the first available of these languages, where the app's sentence precedes the library's. Otherwise returns the app's
    /// sentence, or the English one.
    func text(in languages: [String], app: AppSentences) -> String {
        for language in languages {
            if let text = text(in: language, of: app) ?? text(in: Language(language)) { return text }
        }
        return text(of: app) ?? english
    }

    private func text(in language: String, of app: AppSentences) -> String? {
        // Select the localization here, because Foundation falls back to another language, on Linux to the first one of the bundle.
        let fitting = app.languages.filter { Language($0) == Language(language) }
        guard let best = fitting.first(where: { $0.lowercased() == language.lowercased() }) ?? fitting.first else { return nil }
        return text(of: app, in: best)
    }
}

/// The sentences in the string table of an app's main bundle. On Linux there are none, because only full Foundation reads bundles.
struct AppSentences: Sendable {
    let languages: [String]
    /// Returns the text of a key in one of the languages, or in the app's current one.
    let text: @Sendable (_ key: String, _ language: String?) -> String?

    static let main: AppSentences = {
        #if !canImport(Darwin)
        AppSentences(languages: []) { _, _ in nil }
        #else
        AppSentences(languages: Bundle.main.localizations) { key, language in
            var bundle: Bundle? = .main
            if let language { bundle = Bundle.main.path(forResource: language, ofType: "lproj").flatMap { Bundle(path: $0) } }
            return bundle?.localizedString(forKey: key, value: nil, table: nil)
        }
        #endif
    }()
}

/// The languages that the user prefers, the most preferred one first.
enum PreferredLanguages {
    static var current: [String] {
        #if !canImport(Darwin)
        // Foundation's essentials do not read these variables, the first of which rules (locale(7)).
        let environment = ProcessInfo.processInfo.environment
        let names = ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        return names.split(separator: ":").map { String($0.prefix { $0 != "." && $0 != "@" }) }.filter { $0 != "C" && $0 != "POSIX" }
        #else
        return Locale.preferredLanguages
        #endif
    }
}
