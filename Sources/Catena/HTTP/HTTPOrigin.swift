/// Where an address leads: what is in front of its path. All addresses that are made from one share it, so that each call to a host has
/// at hand what was found when the host was configured.
final class HTTPOrigin: Sendable, Hashable {
    let scheme: String
    let host: String
    /// `nil` if it is the default one of the scheme.
    let port: Int?
    /// Such as `https://forum.example.com:8443`.
    let text: String
    /// Whether it is one of this machine's own.
    let isLoopback: Bool

    init(scheme: String, host: String, port: Int?) {
        self.scheme = scheme
        self.host = host
        self.port = port
        text = port.map { "\(scheme)://\(host):\($0)" } ?? "\(scheme)://\(host)"
        // A name may begin with 127 too.
        isLoopback = host == "localhost" || host == "[::1]" || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 < 0x41 }
    }

    static func == (left: HTTPOrigin, right: HTTPOrigin) -> Bool { left === right || left.text == right.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
