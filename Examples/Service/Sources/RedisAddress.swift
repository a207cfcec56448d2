#if os(Linux)
import CatenaRedis

/// Where a Redis is, as HOST:PORT; the host may be an IPv6 address in brackets.
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

    /// What the machines that run this service share there. The connection is made when it is needed.
    public func store(password: String?) -> Redis {
        Redis(host: host, port: port, password: password, prefix: "overview")
    }
}
#endif
