/// Why a request cannot be served: answered with a status, then the connection is closed, since where the next one starts is unknown.
struct ServerRefusal: Error, Equatable {
    let status: Int
    let reason: String

    static func malformed(_ reason: String) -> ServerRefusal {
        ServerRefusal(status: 400, reason: reason)
    }

    static let headTooLarge = ServerRefusal(status: 431, reason: "the header section exceeds the server's limit")
    static let bodyTooLarge = ServerRefusal(status: 413, reason: "the body exceeds the server's limit")
}
