public import Foundation

#if canImport(Security)
import Security
#endif

/// Keeps a credential between two runs of the app.
///
/// It is called from any thread, one save at a time. Several processes may share one, such as an app and its extension. Before a refresh, and after one
/// that the backend has refused, ``Authentication`` looks whether another process has saved a credential.
public protocol CredentialStore<Credential>: Sendable {
    /// The type of what is kept.
    associatedtype Credential: Codable & Sendable

    /// What was saved last; `nil` if there is nothing.
    func load() throws -> Credential?

    /// Keeps a credential in place of the last one; `nil` removes it.
    func save(_ credential: Credential?) throws

    /// Takes the lock under which one process at a time refreshes the credential, without waiting for it. Its holder lets go of it when it is
    /// released, and when its process ends.
    ///
    /// - Returns: The lock, or `nil` if another process has it. A store without locks gives one that locks nothing, which is the default: two
    ///   processes may then refresh at the same time, and the one that is refused takes over what the other one has saved.
    func lock() throws -> (any CredentialLock)?
}

extension CredentialStore {
    public func lock() throws -> (any CredentialLock)? { NoCredentialLock() }
}

/// A lock that a process has for as long as it keeps this. See ``CredentialStore/lock()``.
public protocol CredentialLock: AnyObject, Sendable {}

private final class NoCredentialLock: CredentialLock {}

/// The lock of a file, which the system takes back from a process that ends.
final class FileLock: CredentialLock {
    private let descriptor: Int32

    /// `nil` if another process, or another lock of this one, has it.
    init?(_ file: URL) throws {
        guard let descriptor = try OwnerOnlyFile.lock(file) else { return nil }
        self.descriptor = descriptor
    }

    deinit { OwnerOnlyFile.unlock(descriptor) }
}

/// Keeps a credential for as long as the app runs.
public final class MemoryCredentialStore<Credential: Codable & Sendable>: CredentialStore {
    private let credential: Mutex<Credential?>

    /// Makes a store with a credential, or an empty one.
    public init(_ credential: Credential? = nil) {
        self.credential = Mutex(credential)
    }

    public func load() -> Credential? { credential.withLock { $0 } }

    public func save(_ credential: Credential?) {
        self.credential.withLock { $0 = credential }
    }
}

/// Keeps a credential in a file that only its owner can read, for platforms without a keychain.
///
/// The file is never readable by others, not even while it is written, and holds one whole credential at every moment. It is not
/// encrypted. Processes that share it refresh its credential one at a time.
public struct FileCredentialStore<Credential: Codable & Sendable>: CredentialStore {
    private let file: URL

    /// Makes a store for one file; nothing is read or written yet.
    ///
    /// - Parameter file: The file. Its folder is made if it is not there, for the owner only.
    public init(file: URL) {
        self.file = file
    }

    /// Throws if the file cannot be read or is not a credential, if others can read it, or if it is another user's.
    public func load() throws -> Credential? {
        guard let (data, status) = try OwnerOnlyFile.read(file) else { return nil }
        guard status.owner == OwnerOnlyFile.user else { throw CredentialStoreError("\(file.path) belongs to another user.") }
        guard status.permissions & 0o077 == 0 else { throw CredentialStoreError("Others than its owner can read \(file.path).") }
        do {
            return try JSONDecoder().decode(Credential.self, from: data)
        } catch is DecodingError {
            // What the decoder says may contain what is in the file.
            throw CredentialStoreError("\(file.path) does not hold a credential.")
        }
    }

    /// Locks a file beside the credential's, which stays: the credential's own is replaced with each save.
    public func lock() throws -> (any CredentialLock)? {
        try makeFolder()
        return try FileLock(file.deletingLastPathComponent().appendingPathComponent(".\(file.lastPathComponent).lock"))
    }

    private func makeFolder() throws {
        let folder = file.deletingLastPathComponent()
        if !FileManager.default.fileExists(atPath: folder.path) { try OwnerOnlyFile.makeFolder(folder) }
    }

    public func save(_ credential: Credential?) throws {
        guard let credential else {
            do {
                try FileManager.default.removeItem(at: file)
            } catch CocoaError.fileNoSuchFile {
                return
            }
            return
        }
        try makeFolder()
        try OwnerOnlyFile.write(try JSONEncoder().encode(credential), to: file, isDurable: true)
    }
}

/// What is wrong with a stored credential.
public struct CredentialStoreError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

#if canImport(Security)
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
