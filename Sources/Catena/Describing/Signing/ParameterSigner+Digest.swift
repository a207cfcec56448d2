public import CatenaPlatform

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
