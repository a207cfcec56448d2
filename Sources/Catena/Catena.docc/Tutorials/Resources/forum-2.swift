import Catena

extension Tag {
    public static let forum: Tag = "forum"
}

public struct Room: Codable, Equatable, Sendable {
    public let id: Int
    public let name: String
}
