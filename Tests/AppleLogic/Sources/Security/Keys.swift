import CCurl
public import Foundation
public import FoundationOfApple

public let kSecAttrKeyType: CFString = "type"
public let kSecAttrKeyTypeRSA: CFString = "42"
public let kSecAttrKeyClass: CFString = "kcls"
public let kSecAttrKeyClassPrivate: CFString = "1"

public final class SecKey {
    let bytes: Data

    init(_ bytes: Data) { self.bytes = bytes }
}

public enum SecKeyAlgorithm: Sendable {
    case rsaSignatureMessagePKCS1v15SHA256
}

/// Makes an RSA private key from PKCS #1.
public func SecKeyCreateWithData(
    _ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    guard attributes[kSecAttrKeyType] as? String == kSecAttrKeyTypeRSA, attributes[kSecAttrKeyClass] as? String == kSecAttrKeyClassPrivate
    else { return nil }
    return SecKey(keyData)
}

/// Signs with OpenSSL.
public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    guard catena_crypto_bind() else { return nil }
    let (key, message) = (Array(key.bytes), Array(dataToSign))
    let signature = [UInt8](unsafeUninitializedCapacity: 2048) { buffer, count in
        count = catena_rsa_sign(key, key.count, message, message.count, buffer.baseAddress, 2048)
    }
    return signature.isEmpty ? nil : Data(signature)
}
