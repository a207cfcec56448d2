// The program of OneCall, which also makes a call by name.
import Catena
import CatenaRules
import Foundation

extension Tag {
    static let forum: Tag = "forum"
}

struct Room: Codable, Sendable {
    let id: Int
    let name: String
}

API.configure(.forum) { forum in
    forum.host = "https://forum.example.com/api"
}

let room = try await API.tag(.forum)
    .get("/v1/rooms/{room}")
    .params(["room": 7, "page": 1])
    .value(as: Room.self)

print(room)
try API.rules.load(dictionary: ["Rooms": ["Path": "/v1/rooms"]])
print(try await API.request(named: "Rooms").tag(.forum).value(as: [Room].self))
