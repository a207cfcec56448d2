import Catena
import CatenaPlatform

#if canImport(Security)
import Security
#elseif os(Linux)
import CCurl
#endif

/// Signs by PKCS #1 v1.5 with SHA-256 (RFC 8017 §8.2), with the RSA of the platform.
enum RSASignature {
    /// Whether the platform can sign with RSA.
    static let isAvailable: Bool = {
        #if canImport(Security)
        true
        #elseif os(Linux)
        catena_crypto_bind()
        #else
        false
        #endif
    }()

    /// Returns the signature of a message.
    ///
    /// - Parameter pem: The text of the private key.
    static func sign(_ message: Data, withKey pem: String, isAvailable: Bool = isAvailable) throws -> [UInt8] {
        guard isAvailable else {
            throw APIError.invalid(
                "signer",
                "RSA needs OpenSSL 3 or 1.1.1 (libcrypto), which is not here; sign with a closure of your own, such as .custom { … }")
        }
        let key: RSAPrivateKey
        do throws(RSAPrivateKey.Fault) {
            key = try RSAPrivateKey(pem: pem)
        } catch {
            throw APIError.invalid("signer", "the private key: \(error.reason)")
        }
        guard let signature = signature(of: message, with: key) else {
            throw APIError.invalid("signer", "the private key: nothing can be signed with its numbers")
        }
        return signature
    }

    #if canImport(Security)
    private static func signature(of message: Data, with key: RSAPrivateKey) -> [UInt8]? {
        let attributes = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPrivate]
        guard let key = SecKeyCreateWithData(Data(key.bytes) as CFData, attributes as CFDictionary, nil),
            let signature = SecKeyCreateSignature(key, .rsaSignatureMessagePKCS1v15SHA256, message as CFData, nil)
        else { return nil }
        return Array(signature as Data)
    }
    #elseif os(Linux)
    /// The maximum length of a signature in bytes, that of a key with 16,384 bits, the longest that OpenSSL accepts.
    private static let longest = 2048

    // Safe, because the pointers are used only inside the closures that lend them. The function reads `count` bytes of key and message, writes at
    // most `longest` bytes, and returns the number of bytes written.
    private static func signature(of message: Data, with key: RSAPrivateKey) -> [UInt8]? {
        let signature = [UInt8](unsafeUninitializedCapacity: longest) { buffer, count in
            count = key.bytes.withUnsafeBufferPointer { key in
                message.withUnsafeBytes { message in
                    catena_rsa_sign(
                        key.baseAddress, key.count, message.bindMemory(to: UInt8.self).baseAddress, message.count, buffer.baseAddress,
                        longest)
                }
            }
        }
        return signature.isEmpty ? nil : signature
    }
    #else
    private static func signature(of message: Data, with key: RSAPrivateKey) -> [UInt8]? { nil }
    #endif
}
