import Catena
import CatenaMacros

// The blocks of Docs/Macros.md, which are compiled here and nowhere else. GuideTests compares them.

extension Catena.Tag {
    static let forum: Tag = "forum"
}

struct User: Codable, Sendable { let name: String }
struct Post: Codable, Sendable { let id: Int }
struct Draft: Codable, Sendable { let text: String }

@Get("/rooms/{room}/users") struct RoomUsers {
    typealias Response = [User]
    let room: String
    var page = 1
    var tag: Tag { .forum }
}

@Put("/rooms/{room-id}/posts/{id}") struct Publish {
    typealias Response = Post
    @Param("room-id") let room: String
    let id: Int
    @Query var draft = false
    @Header("X-Client") var clientName: String?
    @Body let post: Draft
    @Unsent let author: User
    @Header("X-Author") var authorName: String { author.name }
    var tag: Tag { .forum }
}

@MainActor final class Screen {
    func show(_ users: [User]) {}

    func load() async throws -> [User] {
        API.call(RoomUsers(room: "7"))
            .then { users in self.show(users) }
        let users = try await API.value(RoomUsers(room: "7", page: 2))
        return users
    }
}
