import Foundation

/// What a typed call over a stub is measured by: the same bytes through a `JSONDecoder` and a hand-written envelope, with no call around it.
func decodingAlone(_ size: Scenario.Size) -> Call {
    let decoder = JSONDecoder()
    let body = Payloads.bytes(of: size)
    switch size {
    case .small: return { try decoder.decode(Wrapped<Room>.self, from: body).checked().check() }
    case .large: return { try decoder.decode(Wrapped<[Room]>.self, from: body).checked().check() }
    }
}
