/// The scheme, host and port of an address. All addresses made from one share its object, so that a call has the values that were computed
/// when the host was configured.
final class HTTPOrigin: Sendable, Hashable {
    let scheme: String
    let host: String
    /// The port, or `nil` if it is the default port of the scheme.
    let port: Int?
    /// The text of the origin, such as `https://forum.example.com:8443`.
    let text: String
    /// Whether the host is this machine.
    let isLoopback: Bool

    init(scheme: String, host: String, port: Int?) {
        self.scheme = scheme
        self.host = host
        self.port = port
        text = port.map { "\(scheme)://\(host):\($0)" } ?? "\(scheme)://\(host)"
        // A host name may also begin with 127.
        isLoopback = host == "localhost" || host == "[::1]" || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 < 0x41 }
    }

    static func == (left: HTTPOrigin, right: HTTPOrigin) -> Bool { left === right || left.text == right.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
