// An app migrated from the Yana guide: requests as types with base parameters and a signature, a ticket, and success, message and data.
import Catena
import Foundation

extension Tag {
    static let live: Tag = "live"
}

public struct Room: Codable, Sendable {
    public let id: Int
    public let title: String
}

struct Rooms: Endpoint, Encodable {
    typealias Response = [Room]
    let page: Int
    var tag: Tag { .live }
    var path: Path { "/rooms" }
}

struct Join: Endpoint, Encodable {
    typealias Response = Void
    let room: Int
    var tag: Tag { .live }
    var path: Path { "/rooms/{room}/join" }
    var method: HTTPMethod { .post }
}

let signIn = Authentication(
    HeaderPairAuthenticator(user: "pub_uid", ticket: "pub_ticket") { old in
        try await API.tag(.live).post("/ticket").param("user", old.user).value()
    })

public func configure(secret: String, user: String, ticket: String) throws {
    let base = BaseParameters(.current(), channel: "appstore", deviceID: "d-1")
    API.commonParams { tag in tag == .live ? base.params : [:] }
    API.commonHeaders { tag in tag == .live ? base.headers : [:] }
    var signer = ParameterSigner(.md5, secret: .suffix("&key=\(secret)"), placement: .query("pub_sign"))
    signer.format = .upperHex
    signer.excluded = ["appVersion", "channel", "deviceId", "model", "netType", "os", "osVersion", "app"]
    API.configure(.live) { [signer] live in
        live.hosts = [.production: "https://live.example.com", .development: "http://10.0.0.7:8080"]
        live.timeout = .seconds(30)
        live.retry = .exponential(limit: 2)
        live.authentication = signIn
        live.envelope = .standard.authentication(1401)
        live.signer = signer
    }
    try signIn.signIn(HeaderCredential(user: user, ticket: ticket))
}

@MainActor
public final class Lobby {
    public private(set) var titles: [String] = []
    public private(set) var alert: String?

    public init() {}

    public func load(page: Int = 1) -> Promise<[Room]> {
        API.call(Rooms(page: page))
            .then { rooms in self.titles = rooms.map(\.title) }
            .catch(.kind(.business)) { error in self.alert = error.message }
            .catch(.timeout) { _ in self.alert = "The network is slow." }
            .catch { error in self.alert = error.localizedDescription }
    }

    public func join(_ room: Int) async throws {
        try await API.value(Join(room: room))
    }

    public func leave(_ room: Int) {
        API.tag(.live).post("/rooms/{room}/leave").param("room", room).execute(.void)
    }

    public func users(in room: Int) async throws -> [String] {
        try await API.tag(.live).get("/rooms/{room}/users").param("room", room).value()
    }
}
