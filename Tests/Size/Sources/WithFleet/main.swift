// The program of OneCall, which also shares limits and responses in a store.
import Catena
import CatenaFleet
import Foundation

extension Tag {
    static let forum: Tag = "forum"
}

struct Room: Codable, Sendable {
    let id: Int
    let name: String
}

final class NoStore: SharedStore {
    func read(_ keys: [String]) async throws -> SharedReading { SharedReading(values: keys.map { _ in nil }, time: .zero) }
    func write(_ value: Data?, for key: String, lifetime: Duration) async throws {}
    func replace(_ former: Data?, with value: Data?, for key: String, lifetime: Duration) async throws -> Bool { true }
}

let store = NoStore()
API.configure(.forum) { forum in
    forum.host = "https://forum.example.com/api"
    forum.rateLimits = [RateLimit(50, per: .seconds(1))]
    forum.sharedLimits = store
    forum.cache = .shared(store)
}

let room = try await API.tag(.forum)
    .get("/v1/rooms/{room}")
    .params(["room": 7, "page": 1])
    .value(as: Room.self)

print(room)
