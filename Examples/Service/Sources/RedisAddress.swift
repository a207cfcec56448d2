#if os(Linux)
import CatenaRedis

/// The address of a Redis as HOST:PORT. The host may be an IPv6 address in brackets.
public struct RedisAddress: Equatable, Sendable {
    let host: String
    let port: Int

    public init?(_ text: String) {
        guard let match = text.wholeMatch(of: /(?:\[(?<six>[0-9A-Fa-f:.]+)\]|(?<name>[^:\[\]\s]+)):(?<port>[0-9]{1,5})/),
            let host = match.six ?? match.name, let port = Int(match.port), (1...65535).contains(port)
        else { return nil }
        self.host = String(host)
        self.port = port
    }

    /// Returns the store that the machines of this service share. It connects at the first operation.
    public func store(password: String?) -> Redis {
        Redis(host: host, port: port, password: password, prefix: "overview")
    }
}
#endif
