extension APIError {
    /// What an app can show to its user: what the backend says, else a sentence in the first of these languages that there is.
    /// English and Simplified Chinese are there.
    ///
    /// ```swift
    /// self.alert(error.words(in: ["zh-Hans"]))
    /// ```
    public func words(in languages: [String]) -> String {
        foreignWords ?? sentence.text(in: languages)
    }

    /// What the backend, the app or somebody else wrote to be shown. What a step of Catena says is for developers.
    private var foreignWords: String? {
        if sentences[kind] != nil { return nil }
        guard kind == .other, let underlying else { return message.isEmpty ? nil : message }
        // What a promise says of itself is for developers too.
        return underlying is APIError || underlying is PromiseError ? nil : Self.words(of: underlying)
    }

    private var sentence: ErrorSentence {
        if let sentence = sentences[kind] { return sentence }
        switch status {
        case 401: return .signedOut
        case 403: return .forbidden
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

/// The kinds of which Catena itself has to tell. Business and status errors have the backend's words, or the status has some.
private let sentences: [APIError.Kind: ErrorSentence] = [
    .timeout: .timeout, .offline: .offline, .dns: .unknownHost, .connect: .unreachable, .tls: .insecure,
    .connectionLost: .interrupted, .protocolViolation: .unreadable, .decompression: .unreadable, .decoding: .unreadable,
    .missingPayload: .unreadable, .bodyTooLarge: .tooLargeAnswer, .redirect: .redirected, .tooManyRedirects: .redirected,
    .invalidRequest: .unsent, .requestBody: .unsent, .cancelled: .cancelled, .file: .unsaved, .checksum: .unreadable,
    .missingCredential: .signedOut, .excessiveRefresh: .signedOut, .overloaded: .tooMany, .rateLimited: .tooMany,
    .circuitOpen: .unavailable, .simulated: .unknown,
]
