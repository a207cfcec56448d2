/// A challenge for Digest authentication (RFC 7616 §3.3) that Catena can answer.
struct DigestChallenge: Sendable, Equatable {
    /// The digests that Catena computes, the strongest last.
    enum Algorithm: Int, Sendable {
        case md5, sha256

        func digest(of text: String) -> String {
            switch self {
            case .md5: MessageDigest.md5(text).hex
            case .sha256: MessageDigest.sha256(text).hex
            }
        }
    }

    /// The result of reading the challenges of a response.
    enum Reading: Sendable {
        /// No challenge is for Digest authentication.
        case none
        /// No challenge can be answered, for a reason.
        case unusable(String)
        case usable(DigestChallenge)
    }

    let realm: String
    let nonce: String
    let opaque: String?
    let algorithm: Algorithm
    /// The name of the algorithm as the server writes it, or `nil` if the challenge names none.
    let algorithmName: String?
    /// Whether a digest of the credential with the first nonce takes the place of the credential.
    let isSession: Bool
    /// Whether only the nonce of the refused request was too old.
    let isStale: Bool
    let hashesUser: Bool
    /// Whether the answer contains a count and a nonce of the client. Servers of RFC 2069 offer no `qop` and do not know these.
    let countsRequests: Bool

    /// The order of the challenges of a response.
    private var strength: Int { algorithm.rawValue * 2 + (countsRequests ? 1 : 0) }

    /// Reads the values of `WWW-Authenticate`, and returns the strongest challenge that can be answered.
    static func strongest(in values: [String]) -> Reading {
        var (best, reason): (DigestChallenge?, String?) = (nil, nil)
        for challenge in values.flatMap(AuthenticationChallenge.all) where challenge.scheme.lowercased() == "digest" {
            do throws(Fault) {
                let read = try DigestChallenge(challenge)
                if best.map({ $0.strength < read.strength }) ?? true { best = read }
            } catch {
                reason = reason ?? error.reason
            }
        }
        return best.map { .usable($0) } ?? reason.map { .unusable($0) } ?? .none
    }

    struct Fault: Error {
        package let reason: String
    }

    /// The maximum length of a value. A longer one is not worth sending back.
    private static let longestValue = 4096

    private init(_ challenge: AuthenticationChallenge) throws(Fault) {
        var values: [String: String] = [:]
        for (name, value) in challenge.params {
            guard values.updateValue(value, forKey: name) == nil else { throw Fault(reason: "it has two values for \"\(name)\"") }
        }
        for name in ["realm", "nonce", "opaque"] { try Self.check(values[name], name) }
        guard let realm = values["realm"] else { throw Fault(reason: "it has no realm") }
        guard let nonce = values["nonce"], !nonce.isEmpty else { throw Fault(reason: "it has no nonce") }
        (self.realm, self.nonce, opaque) = (realm, nonce, values["opaque"])
        algorithmName = values["algorithm"]
        switch (algorithmName ?? "MD5").lowercased() {
        case "md5": (algorithm, isSession) = (.md5, false)
        case "md5-sess": (algorithm, isSession) = (.md5, true)
        case "sha-256": (algorithm, isSession) = (.sha256, false)
        case "sha-256-sess": (algorithm, isSession) = (.sha256, true)
        case let other: throw Fault(reason: "its algorithm \(other.prefix(20)) is neither SHA-256 nor MD5")
        }
        countsRequests = values["qop"] != nil
        if let protections = values["qop"] {
            guard protections.lowercased().split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }).contains("auth") else {
                throw Fault(reason: "its qop is \(protections.prefix(20)) and not auth")
            }
        } else if isSession {
            // The digest of a session contains the nonce of the client, which is sent only with a qop (RFC 2617 §3.2.2).
            throw Fault(reason: "its algorithm \((algorithmName ?? "").prefix(20)) needs a qop, which it does not have")
        }
        isStale = values["stale"]?.lowercased() == "true"
        hashesUser = values["userhash"]?.lowercased() == "true"
    }

    /// Throws if a value cannot be sent back in a header.
    private static func check(_ value: String?, _ name: String) throws(Fault) {
        guard let value else { return }
        guard value.utf8.count <= longestValue else { throw Fault(reason: "its \(name) is longer than \(longestValue) bytes") }
        // Servers write a realm in any language. The answer has the same characters (RFC 9110 §5.5).
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F || ($0 >= 0x80 && name == "realm") }) else {
            throw Fault(reason: "its \(name) has characters that a header cannot have")
        }
    }
}

extension DigestChallenge {
    /// Returns the next nonce that a response names in `Authentication-Info` (RFC 7616 §3.5), or `nil` if it names none that can be sent.
    static func nextNonce(in values: [String]) -> String? {
        // The params have the form of those of a challenge.
        let params = values.flatMap { AuthenticationChallenge.all(in: "Digest " + $0) }.flatMap(\.params).filter { $0.name == "nextnonce" }
        guard params.count == 1, let nonce = params.first?.value, !nonce.isEmpty, (try? check(nonce, "nextnonce")) != nil else {
            return nil
        }
        return nonce
    }
}

/// A challenge of any scheme (RFC 9110 §11.6.1).
struct AuthenticationChallenge: Sendable {
    let scheme: String
    /// The params in their order, with names in lower case.
    var params: [(name: String, value: String)] = []

    /// The limits of a header that is read, because a server could send one of any size.
    private static let longestHeader = 16 * 1024
    private static let most = 20

    /// Returns the challenges of a header value. A malformed one ends the list, because it is unknown where the next one begins.
    static func all(in value: String) -> [AuthenticationChallenge] {
        guard value.utf8.count <= longestHeader else { return [] }
        var reader = ChallengeReader(value)
        var challenges: [AuthenticationChallenge] = []
        while challenges.count < most {
            reader.skipSeparators()
            guard let name = reader.token() else { break }
            if let last = challenges.indices.last, reader.hasValue {
                guard let value = reader.value() else {
                    challenges.removeLast()
                    break
                }
                challenges[last].params.append((name.lowercased(), value))
            } else if reader.hasValue {
                break
            } else {
                challenges.append(AuthenticationChallenge(scheme: name))
                reader.skipToken68()
            }
        }
        return challenges
    }
}

/// Reads the bytes of a header with challenges.
private struct ChallengeReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = Array(text.utf8)[...]
    }

    private static func isToken(_ byte: UInt8) -> Bool { HeaderRules.isToken(String(decoding: [byte], as: UTF8.self)) }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private mutating func skip(while condition: (UInt8) -> Bool) { rest = rest.drop(while: condition) }

    mutating func skipSeparators() { skip { Self.isSpace($0) || $0 == UInt8(ascii: ",") } }

    mutating func token() -> String? {
        let token = rest.prefix(while: Self.isToken)
        rest = rest[token.endIndex...]
        return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
    }

    /// Whether an equals sign follows.
    var hasValue: Bool { rest.first { !Self.isSpace($0) } == UInt8(ascii: "=") }

    /// Reads the value behind an equals sign, or returns `nil` if it is malformed.
    mutating func value() -> String? {
        skip(while: Self.isSpace)
        rest = rest.dropFirst()
        skip(while: Self.isSpace)
        guard rest.first == UInt8(ascii: "\"") else { return token() }
        rest = rest.dropFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                value.append(escaped)
            default: value.append(byte)
            }
        }
        return nil
    }

    /// Skips a credential in place of params, such as `Negotiate dG9rZW4=`.
    mutating func skipToken68() {
        let former = rest
        skip(while: Self.isSpace)
        skip { Self.isToken($0) || $0 == UInt8(ascii: "/") }
        skip { $0 == UInt8(ascii: "=") }
        skip(while: Self.isSpace)
        if let next = rest.first, next != UInt8(ascii: ",") { rest = former }
    }
}
