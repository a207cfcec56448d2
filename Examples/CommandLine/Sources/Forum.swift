import Catena
import Foundation

extension Tag {
    static let forum: Tag = "forum"
}

struct Room: Codable, Equatable, Sendable {
    let id: Int
    let name: String
    let members: Int
}

/// The calls to the forum.
enum Forum {
    /// Returns the rooms whose names contain a text, or all rooms. A page is requested when the rooms before it have been read.
    static func rooms(matching text: String?) -> Items<Room> {
        API.tag(.forum).get("/rooms").params(["q": text, "size": 50]).items(of: Room.self)
    }

    /// Creates a room. The key lets the forum recognize a second attempt, so that a retry does not create a second room.
    static func create(_ name: String) async throws -> Room {
        try await API.tag(.forum).post("/rooms").params(["name": name]).set(\.idempotencyKey, .random).value()
    }

    /// Saves the messages of a room. An interrupted export keeps what has arrived, and the next export requests only the rest.
    static func export(
        _ room: Int, to file: URL, progress: @escaping @MainActor @Sendable (TransferProgress) -> Void
    ) async throws -> Download {
        let messages = API.tag(.forum).get("/rooms/{room}/messages").param("room", room)
        return try await messages.onProgress(progress).download(to: file)
    }
}
