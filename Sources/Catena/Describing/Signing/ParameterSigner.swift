public import CatenaPlatform

/// Signs the params of a request: omits some, sorts the others by name, joins them, adds a secret and sends the digest.
///
/// ```swift
/// var signer = ParameterSigner(.md5, secret: .suffix("&key=\(secret)"))
/// signer.excluded = ["app", "os"]
/// signer.format = .upperHex
/// forum.signer = signer
/// ```
///
/// The signed text contains the values without percent-encoding, unless ``encodesValues`` is set. Nested values, arrays, booleans, dates and
/// nulls are written by ``style``. A `nil` is left out.
public struct ParameterSigner: RequestSigner {
    /// The position of a secret in the text.
    public enum Secret: Sendable {
        /// No secret in the text.
        case none
        /// The secret before the params, as written.
        case prefix(String)
        /// The secret after the params, as written. Includes any separator, such as `"&key=…"`, even if there are no params.
        case suffix(String)
        /// The secret before and after the params.
        case around(String)
    }

    /// The text form of the digest.
    public enum Format: Sendable, Equatable {
        /// Hexadecimal digits, in lower case.
        case lowerHex
        /// Hexadecimal digits, in upper case.
        case upperHex
        /// Base64 (RFC 4648 §4).
        case base64
    }

    /// The place of the signature.
    public enum Placement: Sendable, Equatable {
        /// The query, as a param of this name.
        case query(String)
        /// The headers, under this name.
        case header(String)
        /// The body, as a member of the JSON object, a field of the form or an element of the XML document.
        case body(String)
        /// The place of the params: the body if it is a JSON object, a form or an XML document, otherwise the query. A multipart body fails the call,
        /// because it has no place for the signature.
        case params(String)

        var name: String {
            switch self {
            case .query(let name), .header(let name), .body(let name), .params(let name): name
            }
        }
    }

    /// The treatment of params that are arrays or objects.
    public enum Nesting: Sendable, Equatable {
        /// Flattens them as in a query: `user[name]=…`. Arrays follow ``ParameterStyle/arrays``.
        case flattened
        /// Makes each one param, whose text is its JSON without white space.
        case json
    }

    /// The algorithm that makes the text into a signature.
    public var digest: Digest
    /// A digest that some params choose in place of ``digest``.
    package var alternative: (digest: Digest, isChosen: @Sendable (Params) throws -> Bool)?
    /// The secret in the text, and its position.
    public var secret: Secret
    /// The place of the signature.
    public var placement: Placement
    /// The text form of the digest.
    public var format: Format = .lowerHex
    /// The names of params that are not signed. A nested param has the name of the outermost one. The signature itself is never signed.
    public var excluded: Set<String> = []
    /// Whether params with an empty text are left out.
    public var dropsEmpty = false
    /// The text between name and value.
    public var assignment = "="
    /// The text between two params.
    public var separator = "&"
    /// Whether values are percent-encoded in the text.
    public var encodesValues = false
    /// The treatment of params that are arrays or objects.
    public var nesting: Nesting = .flattened
    /// The text form of values. Arrays are joined by commas by default.
    public var style: ParameterStyle

    /// Creates a signer for the params of requests.
    ///
    /// - Parameters:
    ///   - digest: The algorithm that makes the text into a signature.
    ///   - secret: The secret in the text, and its position.
    ///   - placement: The place and name of the signature.
    public init(_ digest: Digest, secret: Secret = .none, placement: Placement = .query("sign")) {
        self.digest = digest
        self.secret = secret
        self.placement = placement
        style = ParameterStyle()
        style.arrays = .bareComma
    }

    public var secrets: Secrets {
        switch placement {
        case .query(let name), .body(let name), .params(let name): Secrets(params: name)
        case .header(let name): Secrets(headers: name)
        }
    }

    package var secretValues: [String] { digest.secretValues + (alternative?.digest.secretValues ?? []) + secret.values }

    public func sign(_ request: inout HTTPRequest, params: Params) throws {
        let signature = try signature(of: params)
        switch placement {
        case .query(let name): request.address.setQuery(name, to: signature)
        case .header(let name):
            request.headers[name] = signature
            try HeaderRules.check(&request.headers, of: "signer")
        case .body(let name):
            guard let body = try SignedBody.adding(signature, as: name, to: request) else {
                throw APIError.invalid(
                    "signer", "the signature cannot be added to a body that is neither a JSON object nor a form nor an XML document")
            }
            request.body = body
        case .params(let name):
            guard !SignedBody.isMultipart(request) else {
                throw APIError.invalid("signer", "a body of several parts has no place for the signature; use .query or .header")
            }
            if let body = try SignedBody.adding(signature, as: name, to: request) {
                request.body = body
            } else {
                request.address.setQuery(name, to: signature)
            }
        }
    }

    /// Returns the signature of params.
    public func signature(of params: Params) throws -> String {
        let text = try canonicalText(of: params)
        let signed =
            switch secret {
            case .none: text
            case .prefix(let secret): secret + text
            case .suffix(let secret): text + secret
            case .around(let secret): secret + text + secret
            }
        let digest = try digest(for: params).apply(to: Data(signed.utf8))
        return switch format {
        case .lowerHex: digest.hex
        case .upperHex: digest.hex.uppercased()
        case .base64: digest.base64
        }
    }

    private func digest(for params: Params) throws -> Digest {
        guard let alternative, try alternative.isChosen(params) else { return digest }
        return alternative.digest
    }

    /// Returns the signed text without the secret, to compare it with the text that the backend signs.
    public func canonicalText(of params: Params) throws -> String {
        let fields: [ParameterField]
        do throws(ParameterError) {
            var signed: [Params.Member] = []
            for member in params.members where member.key != placement.name && !excluded.contains(member.key) {
                signed.append(try prepared(member))
            }
            fields = try ParameterField.fields(of: Params(signed), style: style)
        } catch {
            throw APIError.invalid("signer", "\"\(error.keyPath)\": \(error.reason)", underlying: error.underlying ?? error)
        }
        // Sorted by bytes, as servers compare names. Params with the same name stay in order.
        return fields.filter { !dropsEmpty || !$0.value.isEmpty }.enumerated()
            .ordered { left, right in
                left.element.name == right.element.name
                    ? left.offset < right.offset : left.element.name.utf8.lexicographicallyPrecedes(right.element.name.utf8)
            }
            .map { $0.element.name + assignment + (encodesValues ? PercentEncoding.query.encode($0.element.value) : $0.element.value) }
            .joined(separator: separator)
    }

    private func prepared(_ member: Params.Member) throws(ParameterError) -> Params.Member {
        guard nesting == .json else { return member }
        switch member.node {
        case .array, .object:
            do throws(ParameterError) {
                // Written like a body, because the backend signs what it has received.
                let text = String(decoding: try JSONBody.encode(member.node, style: style), as: UTF8.self)
                return Params.Member(key: member.key, node: .string(text))
            } catch {
                throw error.inside(member.key)
            }
        default: return member
        }
    }
}

extension ParameterSigner: OwnSigner {}

extension ParameterSigner: CustomStringConvertible, CustomReflectable {
    /// A description without the secret.
    public var description: String { "ParameterSigner(\(placement))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ParameterSigner.Secret {
    /// The secret as written, and without its name: `&key=…`.
    fileprivate var values: [String] {
        switch self {
        case .none: []
        case .prefix(let text), .suffix(let text), .around(let text):
            [text] + (text.firstIndex(of: "=").map { [String(text[$0...].dropFirst())] } ?? [])
        }
    }
}

extension ParameterSigner.Secret: CustomStringConvertible, CustomReflectable {
    /// The position of the secret, without the secret.
    public var description: String {
        switch self {
        case .none: "none"
        case .prefix: "prefix(\(Redaction.mark))"
        case .suffix: "suffix(\(Redaction.mark))"
        case .around: "around(\(Redaction.mark))"
        }
    }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ParameterSigner {
    /// The algorithm that makes the text into a signature.
    public struct Digest: Sendable {
        private let name: String
        /// The keys of the algorithm, in each form in which a text may repeat them.
        package let secretValues: [String]
        private let sign: @Sendable (Data) throws -> MessageDigest

        /// - Parameter secretValues: The keys of the algorithm, which are hidden wherever they stand. No algorithm can leave them out.
        package init(_ name: String, secretValues: [String], _ sign: @escaping @Sendable (Data) throws -> MessageDigest) {
            (self.name, self.secretValues, self.sign) = (name, secretValues, sign)
        }

        package func apply(to message: Data) throws -> MessageDigest { try sign(message) }
    }
}

extension ParameterSigner.Digest {
    /// MD5 (RFC 1321).
    public static let md5 = Self("md5", secretValues: []) { .md5($0) }

    /// SHA-256 (FIPS 180-4).
    public static let sha256 = Self("sha256", secretValues: []) { .sha256($0) }

    /// HMAC with SHA-256 (RFC 2104), whose key is not part of the text.
    public static func hmacSHA256(key: Data) -> Self {
        let texts = [key.base64EncodedString(), Hexadecimal.text(Array(key))] + [String(data: key, encoding: .utf8)].compactMap { $0 }
        return Self("hmacSHA256(\(Redaction.mark))", secretValues: texts) { .hmacSHA256($0, key: key) }
    }

    /// A closure of the caller. An error that it throws fails the call.
    ///
    /// Catena does not know the key of the closure. ``Secrets/add(values:)`` hides it wherever it stands.
    public static func custom(_ sign: @escaping @Sendable (Data) throws -> [UInt8]) -> Self {
        Self("custom", secretValues: []) { message in
            do {
                return MessageDigest(bytes: try sign(message))
            } catch {
                throw APIError.invalid("signer", APIError.wrapping(error).message, underlying: error)
            }
        }
    }
}

extension ParameterSigner.Digest: CustomStringConvertible, CustomReflectable {
    /// The kind of the digest, without the key.
    public var description: String { name }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
