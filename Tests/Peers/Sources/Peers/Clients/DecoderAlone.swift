import Foundation

/// The reference of a typed call over a stub: decodes its bytes with a `JSONDecoder` and a handwritten envelope, without a call.
func decodingAlone(_ size: Scenario.Size) -> Call {
    let decoder = JSONDecoder()
    let body = Payloads.bytes(of: size)
    if size.count == nil { return { try decoder.decode(Wrapped<Room>.self, from: body).checked().check() } }
    return { try decoder.decode(Wrapped<[Room]>.self, from: body).checked().check(size) }
}
