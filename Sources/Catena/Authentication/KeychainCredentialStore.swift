#if canImport(Security)
public import Foundation
import Security

/// Keeps a credential in the keychain, readable after the first unlock and on this device only.
public struct KeychainCredentialStore<Credential: Codable & Sendable>: CredentialStore {
    private let service: String
    private let account: String

    /// - Parameters:
    ///   - service: What the credential is for, such as the app's identifier with the tag's name.
    ///   - account: Tells several credentials of one service apart.
    public init(service: String, account: String = "") {
        self.service = service
        self.account = account
    }

    private var query: [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
            kSecUseDataProtectionKeychain: true,
        ]
    }

    public func load() throws -> Credential? {
        var query = self.query
        query[kSecReturnData] = true
        query[kSecMatchLimit] = kSecMatchLimitOne
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let data = found as? Data else { throw Self.failure("read", status) }
        do {
            return try JSONDecoder().decode(Credential.self, from: data)
        } catch is DecodingError {
            throw CredentialStoreError("The keychain does not hold a credential for \(service).")
        }
    }

    public func save(_ credential: Credential?) throws {
        guard let credential else {
            let status = SecItemDelete(query as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw Self.failure("delete", status) }
            return
        }
        let value: [CFString: Any] = [
            kSecValueData: try JSONEncoder().encode(credential),
            kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
        var status = SecItemUpdate(query as CFDictionary, value as CFDictionary)
        if status == errSecItemNotFound {
            status = SecItemAdd(query.merging(value) { $1 } as CFDictionary, nil)
        }
        guard status == errSecSuccess else { throw Self.failure("write", status) }
    }

    private static func failure(_ action: String, _ status: OSStatus) -> CredentialStoreError {
        CredentialStoreError("The keychain refused to \(action): \(status).")
    }
}
#endif
