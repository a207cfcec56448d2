// The program of OneCall without its call.
import Foundation

struct Room: Codable, Sendable {
    let id: Int
    let name: String
}

print(Room(id: 7, name: Date.now.description))
