// The program of OneCall, which also signs the call.
import Catena
import CatenaSigners
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
    forum.signer = .awsSignatureV4(accessKey: "made-up", secretKey: "made-up", region: "eu-central-1", service: "execute-api")
}

let room = try await API.tag(.forum)
    .get("/v1/rooms/{room}")
    .params(["room": 7, "page": 1])
    .value(as: Room.self)

print(room)
