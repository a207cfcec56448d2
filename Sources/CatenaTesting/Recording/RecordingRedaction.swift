import Catena
import CatenaPlatform

/// Removes secrets from recorded calls and keeps the structure: a number stays a number, an object keeps its members.
struct RecordingRedaction: Sendable {
    let names: Redaction
    private let paths: [HiddenPath]
    private let patterns: [String]

    /// The secrets that the tag of the current request knows by their value. The response to it may repeat them.
    private var known: KnownSecrets?

    /// The hidden texts. ``SecretCheck`` searches the recording for other places that contain them.
    private(set) var secrets: Set<String> = []

    init(_ rules: RecordingRules) throws {
        names = Redaction(adding: rules.hiddenNames, without: rules.harmlessNames)
        paths = try rules.hiddenPaths.map(HiddenPath.init)
        patterns = rules.hiddenPatterns
        for pattern in patterns {
            do {
                _ = try Regex(pattern)
            } catch {
                throw RecordingError(description: "hiddenPatterns: \"\(pattern)\" is not a regular expression: \(error).")
            }
        }
    }

    mutating func hide(_ call: RecordedCall) -> RecordedCall {
        var call = call
        call.request = hide(call.request)
        if let response = call.response {
            call.response?.headers = hide(response.headers)
            call.response?.body = hide(response.body, response.headers["Content-Type"])
            // Correct a length only if it matched the body. That of a HEAD response or of a compressed body describes other bytes.
            if response.headers["Content-Length"] == String(response.body.count), let length = call.response?.body.count {
                call.response?.headers["Content-Length"] = String(length)
            }
        }
        return call
    }

    mutating func hide(_ request: HTTPRequest) -> HTTPRequest {
        known = request.redaction?.known
        var request = request
        request.address = request.address.redacted(
            path: { path in reading { $0.redact(path: path) } }, query: { query in reading { $0.redact(query: query) } },
            known: known)
        request.address.path = hidePatterns(request.address.path)
        // No secret can be found in compressed bytes, so they are left out.
        let isEncoded = request.headers.hasContentCoding
        request.body = request.body.map { isEncoded ? Data("(compressed)".utf8) : hide($0, request.headers["Content-Type"]) }
        request.headers = hide(request.headers)
        return request
    }

    // MARK: Parts

    /// Redacts a part, and stores the secrets that it contained.
    private mutating func reading<Shown>(_ read: (inout RedactionPass) -> Shown) -> Shown {
        let paths = paths
        let expressions = patterns.compactMap { try? Regex($0) }
        var pass = RedactionPass(
            keepingFormAndHiding: names, places: paths.isEmpty ? nil : { path in paths.contains { $0.covers(path) } }, patterns: expressions
        )
        pass.known = known
        let shown = read(&pass)
        for secret in pass.found { note(secret) }
        return shown
    }

    private mutating func hide(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(
            headers.fields.map { field in
                let name = field.name.lowercased()
                guard names.isSecret(name: field.name) else {
                    // A challenge is no credential, and a client that replays it needs its params (RFC 9110 §11.6.1).
                    let isChallenge = name == "www-authenticate" || name == "proxy-authenticate"
                    let shown = isChallenge ? hidePatterns(field.value) : reading { $0.redact(text: field.value) }
                    return .init(name: field.name, value: shown)
                }
                switch name {
                case "set-cookie": return .init(name: field.name, value: hide(cookie: field.value))
                case "cookie": noteValues(ofCookies: field.value)
                case "authorization", "proxy-authorization": note(credential: field.value)
                default: note(field.value)
                }
                return .init(name: field.name, value: Redaction.mark)
            })
    }

    /// Redacts a body. A body of unknown format stays as it is; ``SecretCheck`` searches it for secrets.
    private mutating func hide(_ body: Data, _ contentType: String?) -> Data {
        reading { $0.redact(body: [UInt8](body), contentType: contentType) }.map { Data($0) } ?? body
    }

    private mutating func hidePatterns(_ text: String) -> String {
        patterns.reduce(text) { text, pattern in
            guard let pattern = try? Regex(pattern) else { return text }
            for match in text.matches(of: pattern) { note(String(text[match.range])) }
            return text.replacing(pattern, with: Redaction.mark)
        }
    }

    /// Hides the value of a cookie. Its name and attributes stay because a client needs them.
    private mutating func hide(cookie: String) -> String {
        let pair = cookie.prefix { $0 != ";" }
        guard let equals = pair.firstIndex(of: "=") else { return Redaction.mark }
        note(String(pair[pair.index(after: equals)...]))
        return pair[...equals] + Redaction.mark + cookie[pair.endIndex...]
    }

    /// Stores the values of the cookies in a `Cookie` header as secrets.
    private mutating func noteValues(ofCookies field: String) {
        for pair in field.split(separator: ";") {
            guard let equals = pair.firstIndex(of: "=") else { continue }
            note(pair[pair.index(after: equals)...].trimmed())
        }
    }

    // MARK: Secrets

    private mutating func note(_ value: String) {
        for part in [value] + SecretParts.all(in: value) where part.count >= Self.shortestSecret && part != Redaction.mark {
            secrets.insert(part)
        }
        if value.hasPrefix("Basic ") { note(credential: value) }
    }

    /// Stores a credential without its scheme, which the server's challenge contains too (RFC 9110 §11.4).
    private mutating func note(credential: String) {
        let words = credential.split(separator: " ", maxSplits: 1)
        guard words.count == 2 else { return note(credential) }
        note(String(words[1]))
        if words[0].lowercased() == "basic", let pair = Data(base64Encoded: String(words[1])) {
            note(String(decoding: pair.drop { $0 != UInt8(ascii: ":") }.dropFirst(), as: UTF8.self))
        }
    }

    /// The minimum length of a stored secret. Shorter texts occur elsewhere by chance, and would make the check reject harmless recordings.
    private static let shortestSecret = 8
}

/// A path in JSON, in which `*` matches any key and any index: `data.users[*].email`.
struct HiddenPath: Sendable {
    private let steps: [Substring]

    init(_ text: String) throws {
        let dotted = text.replacing("[", with: ".").replacing("]", with: "")
        steps = dotted.split(separator: ".", omittingEmptySubsequences: false).dropFirst(text.hasPrefix("[") ? 1 : 0).map { $0 }
        guard steps.allSatisfy({ !$0.isEmpty }) else {
            throw RecordingError(description: "hiddenPaths: \"\(text)\" is not a path: a key is empty.")
        }
    }

    /// Whether a value is at this place or below it.
    func covers(_ path: [String]) -> Bool {
        path.count >= steps.count && zip(steps, path).allSatisfy { $0 == "*" || $0 == $1 }
    }
}
