// The program of OneCall, which also records the call as HAR.
import Catena
import CatenaArchive
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

let recorder = HARRecorder()
API.record(into: recorder)
let room = try await API.tag(.forum)
    .get("/v1/rooms/{room}")
    .params(["room": 7, "page": 1])
    .value(as: Room.self)

print(room)
print(try await recorder.archive().count)
