import Catena
import CatenaPlatform

/// Searches calls for secrets after the rules for names, paths and patterns have been applied.
struct SecretCheck {
    /// The texts that were hidden and must not occur anywhere else.
    let secrets: Set<String>
    /// The texts that look like secrets but are not.
    let harmless: Set<String>
    let names: Redaction

    /// The patterns of well-known secrets.
    private static let shapes = [
        ("a JSON Web Token", #"eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*"#),
        ("a private key", #"-----BEGIN [A-Z ]*PRIVATE KEY"#),
        ("an access key", #"\b(AKIA|ASIA)[0-9A-Z]{16}\b"#),
        ("an access token", #"\b(gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|sk-|[rs]k_live_|AIza)[A-Za-z0-9_\-]{20,}"#),
        ("credentials", #"\bBasic (?=[A-Za-z+\/]*[0-9A-Z])[A-Za-z0-9+\/]{8,}={0,2}"#),
    ]

    /// Returns a message for each secret, with its place and without its text.
    func problems(in calls: [RecordedCall]) throws -> [String] {
        let secrets = secrets.subtracting(harmless)
        let shapes = try Self.shapes.map { (name: $0, pattern: try Regex($1)) }
        return calls.flatMap { call in
            places(of: call).compactMap { place, text in
                let shape = shapes.first { shape in text.matches(of: shape.pattern).contains { !isHarmless(text[$0.range]) } }
                let found = shape?.name ?? (secrets.contains { Self.shows($0, in: text) } ? "a secret that is hidden elsewhere" : nil)
                return found.map { "\(call.request): \(place) has what looks like \($0)." }
            } + bytes(of: call)
        }
    }

    /// Whether a text contains a secret. Compares characters, so that other Unicode forms are found. Also compares bytes, because a combining accent after
    /// the secret changes its last character.
    private static func shows(_ secret: String, in text: String) -> Bool {
        text.contains(secret) || Data(text.utf8).firstPlace(of: Data(secret.utf8)) != nil
    }

    private func isHarmless(_ match: Substring) -> Bool {
        harmless.contains { match.contains($0) || $0.contains(match) }
    }

    private func places(of call: RecordedCall) -> [(String, String)] {
        let headers = { (headers: HTTPHeaders, whose: String) in headers.fields.map { ("the header \($0.name)\(whose)", $0.value) } }
        let text = { (body: Data) in String(decoding: body, as: UTF8.self) }
        return [("the address", PercentDecoding.decode(call.request.address.text, plusIsSpace: false))]
            + headers(call.request.headers, "") + [("the body", text(call.request.body ?? Data()))]
            + headers(call.response?.headers ?? [:], " of the response") + [
                ("the body of the response", text(call.response?.body ?? Data()))
            ]
    }

    /// Returns a message for each body that has a secret by name but cannot be redacted.
    private func bytes(of call: RecordedCall) -> [String] {
        let bodies = [
            ("the body", call.request.body, call.request.headers),
            ("the body of the response", call.response?.body, call.response?.headers ?? [:]),
        ]
        return bodies.compactMap { place, body, headers in
            guard let body else { return nil }
            var pass = RedactionPass(keepingFormAndHiding: names)
            let shown = pass.redact(body: [UInt8](body), contentType: headers["Content-Type"])
            return shown == nil ? "\(call.request): \(place) has bytes with what looks like a secret." : nil
        }
    }
}
