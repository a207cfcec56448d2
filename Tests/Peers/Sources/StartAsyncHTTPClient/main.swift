// One call with async-http-client, as in its documentation. `peers start` measures the time until its first byte arrives.
import AsyncHTTPClient
import FoundationEssentials
import NIOCore

struct Room: Decodable, Sendable {
    let id: Int
}

let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: CommandLine.arguments[1]), timeout: .seconds(30))
let body = try await response.body.collect(upTo: 1 << 20)
_ = try JSONDecoder().decode(Room.self, from: Data(body.readableBytesView))
