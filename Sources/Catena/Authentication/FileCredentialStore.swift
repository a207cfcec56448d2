public import Foundation

/// Keeps a credential in a file that only its owner can read, for platforms without a keychain.
///
/// The file is never readable by others, not even while it is written, and holds one whole credential at every moment. It is not
/// encrypted.
public struct FileCredentialStore<Credential: Codable & Sendable>: CredentialStore {
    private let file: URL

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

    public func save(_ credential: Credential?) throws {
        guard let credential else {
            do {
                try FileManager.default.removeItem(at: file)
            } catch CocoaError.fileNoSuchFile {
                return
            }
            return
        }
        let folder = file.deletingLastPathComponent()
        if !FileManager.default.fileExists(atPath: folder.path) { try OwnerOnlyFile.makeFolder(folder) }
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
