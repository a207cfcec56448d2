public import CatenaPlatform

#if canImport(Security)
import Security
#endif

/// Stores a credential between runs of the app.
///
/// Catena calls it from any thread, one save at a time. Several processes may share one store, such as an app and its extension. So
/// ``Authentication`` checks for a newer credential of another process before each refresh, and after a refused one.
public protocol CredentialStore<Credential>: Sendable {
    /// The type of the stored value.
    associatedtype Credential: Codable & Sendable

    /// Returns the credential that was saved last, or `nil` if there is none.
    func load() throws -> Credential?

    /// Replaces the stored credential; `nil` removes it.
    func save(_ credential: Credential?) throws

    /// Acquires, without waiting, the lock under which one process at a time refreshes the credential. The lock ends when its object is released or
    /// the process ends.
    ///
    /// - Returns: The lock, or `nil` if another process holds it. The default implementation returns a lock that locks nothing. Two processes may
    ///   then refresh at the same time, and the one that is refused takes over the other's credential.
    func lock() throws -> (any CredentialLock)?
}

extension CredentialStore {
    public func lock() throws -> (any CredentialLock)? { NoCredentialLock() }
}

/// A lock that is held for the lifetime of this object. See ``CredentialStore/lock()``.
public protocol CredentialLock: AnyObject, Sendable {}

private final class NoCredentialLock: CredentialLock {}

/// A lock on a file, which the operating system releases when the process ends.
final class FileLock: CredentialLock {
    private let descriptor: Int32

    /// Returns `nil` if another process, or another lock of this process, holds the lock.
    init?(_ file: URL) throws {
        guard let descriptor = try OwnerOnlyFile.lock(file) else { return nil }
        self.descriptor = descriptor
    }

    deinit { OwnerOnlyFile.unlock(descriptor) }
}

/// A store in memory, which waits for nothing. All others are used on threads that may block.
protocol PromptStore {}

/// Stores a credential in memory, for as long as the app runs.
public final class MemoryCredentialStore<Credential: Codable & Sendable>: CredentialStore, PromptStore {
    private let credential: Mutex<Credential?>

    /// Creates a store with a credential, or an empty one.
    public init(_ credential: Credential? = nil) {
        self.credential = Mutex(credential)
    }

    public func load() -> Credential? { credential.withLock { $0 } }

    public func save(_ credential: Credential?) {
        self.credential.withLock { $0 = credential }
    }
}

/// Stores a credential in a file that only its owner can read, for platforms without a keychain.
///
/// Other users can never read the file, and each save replaces it atomically. The file is not encrypted. Processes that share it refresh the
/// credential one at a time.
public struct FileCredentialStore<Credential: Codable & Sendable>: CredentialStore {
    private let file: URL

    /// Creates a store for one file, without reading or writing it yet.
    ///
    /// - Parameter file: The file. A missing folder is created with access for the owner only.
    public init(file: URL) {
        self.file = file
    }

    /// The longest file of a credential or of the cookies of a jar, in bytes.
    private static var longest: Int { 16 << 20 }

    /// Reads the credential.
    ///
    /// - Throws: An error if the file is not a regular one, is behind a link, is longer than 16 MiB or is no credential. Also if it belongs to another
    ///   user, or is accessible to other users.
    public func load() throws -> Credential? {
        let data: Data?
        do {
            data = try OwnerOnlyFile.read(file, limit: Self.longest)
        } catch let error as FileError {
            throw CredentialStoreError("\(error).")
        }
        guard let data else { return nil }
        do {
            return try JSONDecoder().decode(Credential.self, from: data)
        } catch is DecodingError {
            // Replace the decoder's error, because it may quote the file's content.
            throw CredentialStoreError("\(file.path) does not hold a credential.")
        }
    }

    /// Locks a separate file beside the credential's file, because each save replaces the latter.
    public func lock() throws -> (any CredentialLock)? {
        try makeFolder()
        return try FileLock(file.deletingLastPathComponent().appendingPathComponent(".\(file.lastPathComponent).lock"))
    }

    private func makeFolder() throws {
        let folder = file.deletingLastPathComponent()
        if !LocalFile.exists(folder.path) { try OwnerOnlyFile.makeFolder(folder) }
    }

    /// Replaces the file, or removes it.
    ///
    /// - Throws: An error if the file cannot be written, or if its path has anything but a regular file, which then stays.
    public func save(_ credential: Credential?) throws {
        guard let credential else {
            return try LocalFile.remove(file.path)
        }
        try makeFolder()
        try OwnerOnlyFile.write(try JSONEncoder().encode(credential), to: file, isDurable: true)
    }
}

/// An error of a credential store, such as a file that other users can read.
public struct CredentialStoreError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

#if canImport(Security)
/// Stores a credential in the keychain, readable after the first unlock and on this device only.
public struct KeychainCredentialStore<Credential: Codable & Sendable>: CredentialStore {
    private let service: String
    private let account: String

    /// Creates a store for one item of the keychain.
    ///
    /// - Parameters:
    ///   - service: The service that the credential is for, such as the app's identifier with the tag's name.
    ///   - account: A name that distinguishes several credentials of one service.
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
