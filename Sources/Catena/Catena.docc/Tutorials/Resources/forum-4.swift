import Catena

extension Tag {
    public static let forum: Tag = "forum"
}

public struct Room: Codable, Equatable, Sendable {
    public let id: Int
    public let name: String
}

/// The calls to the forum.
public struct Forum: Sendable {
    let client: Client

    public init(client: Client = .shared) {
        self.client = client
    }

    public func rooms(page: Int) async throws -> [Room] {
        try await client.tag(.forum).get("/rooms.json").query("page", page).value()
    }
}
