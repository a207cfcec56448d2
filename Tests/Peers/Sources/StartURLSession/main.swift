// One call with URLSession. `peers start` measures the time until its first byte arrives.
import Foundation
import FoundationNetworking

struct Room: Decodable, Sendable {
    let id: Int
}

guard let url = URL(string: CommandLine.arguments[1]) else { exit(1) }
let (body, _) = try await URLSession.shared.data(from: url)
_ = try JSONDecoder().decode(Room.self, from: body)
