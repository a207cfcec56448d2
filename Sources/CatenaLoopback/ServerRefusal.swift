/// The reason why a request cannot be served. The server responds with the status and closes the connection, because it cannot find the start of
/// the next request.
struct ServerRefusal: Error, Equatable {
    let status: Int
    let reason: String

    static func malformed(_ reason: String) -> ServerRefusal {
        ServerRefusal(status: 400, reason: reason)
    }

    static let headTooLarge = ServerRefusal(status: 431, reason: "the header section exceeds the server's limit")
    static let bodyTooLarge = ServerRefusal(status: 413, reason: "the body exceeds the server's limit")
}
