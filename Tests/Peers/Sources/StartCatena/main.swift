// One call with Catena. `peers start` measures the time until its first byte arrives.
import Catena

struct Room: Decodable, Sendable {
    let id: Int
}

_ = try await API.absoluteURL(CommandLine.arguments[1]).value(as: Room.self)
