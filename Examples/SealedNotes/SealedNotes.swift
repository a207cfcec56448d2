// A client of a backend whose bodies are sealed with AES-GCM in both directions.
import Catena
import Crypto
import Foundation

/// A note.
public struct Note: Codable, Sendable, Equatable {
    public var id: Int?
    public let text: String

    public init(id: Int? = nil, text: String) {
        (self.id, self.text) = (id, text)
    }
}

/// Seals request bodies and opens payloads with a key that the app shares with the backend.
public struct NoteVault: Sendable {
    private let key: SymmetricKey

    /// - Parameter key: 16, 24 or 32 bytes.
    public init(key: Data) {
        self.key = SymmetricKey(data: key)
    }

    /// Returns nonce, ciphertext and tag. Each call has a nonce of its own.
    ///
    /// - Parameter call: The ID of the call. A body cannot be opened for another call.
    public func seal(_ data: Data, of call: String) throws -> Data {
        // `combined` is missing only for a nonce of another size than 12 bytes.
        guard let sealed = try AES.GCM.seal(data, using: key, authenticating: Data(call.utf8)).combined else {
            throw CryptoKitError.incorrectParameterSize
        }
        return sealed
    }

    /// Opens what ``seal(_:of:)`` returns. Throws if a byte or the ID differs.
    public func open(_ sealed: Data, of call: String) throws -> Data {
        try AES.GCM.open(try AES.GCM.SealedBox(combined: sealed), using: key, authenticating: Data(call.utf8))
    }
}

/// The backend's API for one user.
public struct SealedNotes: Sendable {
    /// The header with the ID of the call, for which both bodies are sealed.
    public static let callHeader = HTTPHeaders.Name("X-Call-ID")

    let client: Client

    /// - Parameters:
    ///   - key: The key that the app shares with the backend.
    ///   - client: The client. By default a new one, so that the SDK and the app do not share settings. Tests pass one with stubs.
    public init(key: Data, client: Client = Client()) {
        self.client = client
        let vault = NoteVault(key: key)
        client.configureDefaults { defaults in
            defaults.host = "https://notes.example.com"
            defaults.transformBody = { body, _ in (try vault.seal(body, of: "request"), "application/octet-stream") }
            defaults.envelope = .standard.transformPayload { payload, request in
                // The payload of {"code": 0, "data": "…"} is sealed and written in base64.
                guard let sealed = Data(base64Encoded: payload) else { throw CryptoKitError.incorrectParameterSize }
                return try vault.open(sealed, of: request.headers[Self.callHeader] ?? "")
            }
        }
        // Each attempt has an ID of its own, so that no response opens for another request.
        client.commonHeaders { _ in [Self.callHeader.text: UUID().uuidString] }
    }

    /// Stores a note and returns it with its ID.
    public func add(_ text: String) async throws -> Note {
        try await client.post("/notes").json(Note(text: text)).value()
    }

    /// Returns all notes.
    public func all() async throws -> [Note] {
        try await client.get("/notes").value()
    }
}
