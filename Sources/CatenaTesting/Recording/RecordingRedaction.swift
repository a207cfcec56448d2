import Catena
import Foundation

/// Takes the secrets out of what is recorded and leaves its form: a number stays a number, an object has its members.
struct RecordingRedaction: Sendable {
    let names: Redaction
    private let paths: [HiddenPath]
    private let patterns: [String]

    /// What has been hidden so far, as far as it is long enough to be looked for elsewhere.
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
            // A length that was right is right again.
            if response.headers["Content-Length"] == String(response.body.count), let length = call.response?.body.count {
                call.response?.headers["Content-Length"] = String(length)
            }
        }
        return call
    }

    mutating func hide(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        request.address.path = hidePatterns(request.address.path)
        request.address.query = request.address.query.map { hide(query: $0) }
        request.body = request.body.map { hide($0, request.headers["Content-Type"]) }
        request.headers = hide(request.headers)
        return request
    }

    // MARK: Parts

    private mutating func hide(query: String) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).map { pair -> String in
            guard let equals = pair.firstIndex(of: "=") else { return String(pair) }
            let name = PercentDecoding.decode(pair[..<equals], plusIsSpace: true)
            let value = PercentDecoding.decode(pair[pair.index(after: equals)...], plusIsSpace: true)
            if names.isSecret(name: name) { note(value) } else if hide(text: value) == value { return String(pair) }
            return pair[...equals] + Redaction.mark
        }.joined(separator: "&")
    }

    private mutating func hide(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(
            headers.fields.map { field in
                guard names.isSecret(name: field.name) else { return .init(name: field.name, value: hide(text: field.value)) }
                if field.name.lowercased() == "set-cookie" { return .init(name: field.name, value: hide(cookie: field.value)) }
                note(field.value)
                return .init(name: field.name, value: Redaction.mark)
            })
    }

    private mutating func hide(_ body: Data, _ contentType: String?) -> Data {
        if var multipart = MultipartBody(body, contentType: contentType) {
            for (index, part) in multipart.parts.enumerated() {
                let isSecret = names.isSecret(name: part.name)
                if isSecret { note(String(decoding: part.content, as: UTF8.self)) }
                multipart.parts[index].content = isSecret ? Data(Redaction.mark.utf8) : hide(part.content, nil)
            }
            return multipart.encoded
        }
        // Bytes stay as they are; whether a secret shows in them is checked.
        guard let text = String(validating: body, as: UTF8.self) else { return body }
        if let json = try? JSON(parsing: body), json.array != nil || json.object != nil {
            if let hidden = json.replacingScalars({ hidden($1, at: $0) }) { return hidden.encoded }
            // A key that comes twice has its first value here, and the second may be a secret.
            return names.redact(text: text) == text ? body : json.encoded
        }
        let isForm = contentType?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true
        return Data((isForm ? hide(query: text) : hide(text: text)).utf8)
    }

    private mutating func hidden(_ scalar: JSON, at path: [String]) -> JSON? {
        if path.contains(where: { names.isSecret(name: $0) }) || paths.contains(where: { $0.covers(path) }) {
            if let text = scalar.string {
                note(text)
                return JSON(stringLiteral: Redaction.mark)
            }
            return scalar.double == nil ? scalar : 0
        }
        // Not `nil`, which can be JSON's null here.
        guard let text = scalar.string else { return .none }
        let shown = hide(text: text)
        if shown == text { return .none }
        return JSON(stringLiteral: shown)
    }

    private mutating func hide(text: String) -> String {
        hidePatterns(names.redact(text: text))
    }

    private mutating func hidePatterns(_ text: String) -> String {
        patterns.reduce(text) { text, pattern in
            guard let pattern = try? Regex(pattern) else { return text }
            for match in text.matches(of: pattern) { note(String(text[match.range])) }
            return text.replacing(pattern, with: Redaction.mark)
        }
    }

    /// The name of a cookie and its attributes say what a client has to do, and only its value is a secret.
    private mutating func hide(cookie: String) -> String {
        let pair = cookie.prefix { $0 != ";" }
        guard let equals = pair.firstIndex(of: "=") else { return Redaction.mark }
        note(String(pair[pair.index(after: equals)...]))
        return pair[...equals] + Redaction.mark + cookie[pair.endIndex...]
    }

    // MARK: What has been hidden

    private mutating func note(_ value: String) {
        for part in [value] + value.split(whereSeparator: { " ;,=".contains($0) }).map(String.init) {
            if part.count >= Self.shortestSecret, part != Redaction.mark { secrets.insert(part) }
        }
        // Credentials in the form of RFC 7617.
        if value.hasPrefix("Basic "), let pair = Data(base64Encoded: String(value.dropFirst(6))) {
            note(String(String(decoding: pair, as: UTF8.self).drop { $0 != ":" }.dropFirst()))
        }
    }

    /// A shorter text would be found where it means something else.
    private static let shortestSecret = 8
}
