/// Decides by the words of a name whether its value is secret: `access_token`, `accessToken`, `X-Auth-Token`, `user[pwd]`.
enum SecretNames {
    /// Words that mark a name as secret, wherever they stand in it.
    private static let words: Set<String> = [
        "authorization", "authentication", "cookie", "cookies", "token", "secret", "secrets", "password", "passwords", "passwd", "pwd",
        "passphrase", "passcode", "signature", "signatures", "ticket", "tickets", "credential", "credentials", "session", "sessions", "jwt",
        "otp", "totp", "hotp", "pass", "csrf", "xsrf", "cvv", "cvc", "csc", "密码", "密碼", "口令", "令牌", "密钥", "密鑰",
    ]

    /// Word pairs that mark a name as secret although neither word does alone, as in `sort_key` or `status code`.
    private static let pairs: Set<[String]> = [
        ["api", "key"], ["access", "key"], ["private", "key"], ["signing", "key"], ["encryption", "key"], ["master", "key"],
        ["subscription", "key"], ["api", "keys"], ["access", "keys"], ["private", "keys"], ["code", "verifier"], ["auth", "code"],
        ["x", "auth"], ["mfa", "code"], ["sms", "code"], ["otp", "code"], ["totp", "code"], ["verification", "code"], ["verify", "code"],
        ["recovery", "code"], ["backup", "code"], ["security", "code"], ["confirmation", "code"], ["pin", "code"],
        ["x", "sign"], ["x", "sig"],
    ]

    /// Words too short or ambiguous to be matched within a name. They must be the whole name or a whole part of it.
    private static let wholes: Set<String> = [
        "sign", "sig", "pwd", "key", "auth", "jwt", "pin", "otp", "mfa", "refresh", "access", "bearer",
    ]

    /// Endings of names without word boundaries: `accesstoken`, `PHPSESSID`.
    private static let ends = [
        "authorization", "authentication", "cookie", "token", "secret", "password", "passwd", "passphrase", "passcode", "pwd", "apikey",
        "accesskey", "privatekey", "secretkey", "signature", "ticket", "credential", "credentials", "sessionid", "sessid", "sessionkey",
        "usersession", "loginsession", "codeverifier", "authcode", "密码", "密碼",
    ]

    /// Words that only describe the secret before them: `token_type`, or `expires` and `in` of `token_expires_in`.
    private static let descriptions: Set<String> = [
        "type", "types", "kind", "format", "method", "algorithm", "version", "count", "counts", "limit", "limits", "usage", "used",
        "budget",
        "remaining", "length", "size", "max", "min", "expires", "expiry", "expiration", "expire", "expired", "in", "at", "ttl", "lifetime",
        "age", "timeout", "policy", "rate", "required", "enabled", "valid", "per", "second", "minute", "endpoint",
    ]

    /// Words before `token` that make it a quantity: `max_token`.
    private static let quantities: Set<String> = ["max", "min", "total", "num", "number", "count", "n"]

    /// Words that make a plural a secret, as in `access_tokens`. Other plurals are quantities, as in `total_tokens`.
    private static let holders: Set<String> = [
        "access", "refresh", "auth", "oauth", "id", "api", "user", "session", "bearer", "csrf", "xsrf", "device", "push", "security",
        "login",
    ]

    /// Returns whether a name is that of a secret.
    ///
    /// - Parameters:
    ///   - isAdded: Returns whether a name, in its plain form, is always secret.
    ///   - isAllowed: Returns whether a name, in its plain form, is not secret.
    static func isSecret(_ name: String, isAdded: (String) -> Bool, isAllowed: (String) -> Bool) -> Bool {
        let whole = plain(name)
        if isAdded(whole) { return true }
        let parts = name.split { $0 == "[" || $0 == "]" || $0 == "." }
        if parts.count > 1, parts.contains(where: { isAdded(plain($0)) }) { return true }
        if isAllowed(whole) { return false }
        return parts.contains { part in
            let plain = plain(part)
            return !isAllowed(plain) && (wholes.contains(plain) || isSecret(words: split(part), plain))
        }
    }

    /// Returns a name in lower case without `_` and `-`.
    static func plain(_ name: some StringProtocol) -> String {
        name.lowercased().filter { $0 != "_" && $0 != "-" }
    }

    private static func isSecret(words: [String], _ plain: String) -> Bool {
        for (index, word) in words.enumerated() {
            let former = index > 0 ? words[index - 1] : ""
            let rest = words[(index + 1)...]
            switch word {
            case "tokens":
                guard words.count == 1 || holders.contains(former) else { return false }
            case _ where Self.words.contains(word): break
            default: guard pairs.contains([former, word]) else { continue }
            }
            // A description of a secret is no secret, and neither is a quantity.
            if !rest.isEmpty, rest.allSatisfy(descriptions.contains) { return false }
            if word == "token", quantities.contains(former) { return false }
            return true
        }
        return ends.contains { plain.hasSuffix($0) }
    }

    /// Splits a name into words in lower case. A word begins at a capital or a digit and ends before other characters.
    private static func split(_ name: Substring) -> [String] {
        var words: [String] = []
        var word = String.UnicodeScalarView()
        var former = Kind.other
        func end() {
            if !word.isEmpty { words.append(String(word).lowercased()) }
            word = String.UnicodeScalarView()
        }
        for scalar in name.unicodeScalars {
            let kind = Kind(scalar)
            switch (former, kind) {
            // `APIKey` is split into `API` and `Key`.
            case (.capital, .small) where word.count > 1:
                let first = word.removeLast()
                end()
                word.append(first)
            case (.capital, .small): break
            case (let former, let kind) where former == kind: break
            default: end()
            }
            if kind != .other { word.append(scalar) }
            former = kind
        }
        end()
        return words
    }

    private enum Kind {
        case small, capital, digit, foreign, other

        init(_ scalar: Unicode.Scalar) {
            switch scalar {
            case "a"..."z": self = .small
            case "A"..."Z": self = .capital
            case "0"..."9": self = .digit
            default: self = scalar.value >= 0x80 && scalar.properties.isAlphabetic ? .foreign : .other
            }
        }
    }
}
