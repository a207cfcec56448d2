/// When an answer that was received before is used again.
///
/// ```swift
/// API.tag(.forum).get("/rooms").cache(.expire(.seconds(60)))
/// API.tag(.forum).get("/me").cache(.protocol.orOffline)
/// ```
///
/// Only answers to GET are kept, only successful ones, and none for another user than the one who received it.
public struct CachePolicy: Sendable, Hashable {
    enum Mode: Sendable, Hashable {
        case `protocol`
        case expire(Duration)
        case always
        case never
    }

    let mode: Mode
    private(set) var servesOffline = false

    /// As the server says (RFC 9111): fresh answers are used, stale ones are asked about.
    public static let `protocol` = CachePolicy(mode: .protocol)

    /// For a time, whatever the server says.
    public static func expire(_ age: Duration) -> CachePolicy { CachePolicy(mode: .expire(age)) }

    /// For ever once there is one, whatever the server says.
    public static let always = CachePolicy(mode: .always)

    /// Not at all; nothing is kept either.
    public static let never = CachePolicy(mode: .never)

    /// As the server says, and any that there is where the server cannot be reached.
    public static let offline = CachePolicy.protocol.orOffline

    var name: String {
        let name =
            switch mode {
            case .protocol: "as the server says"
            case .expire(let age): "for \(age)"
            case .always: "always"
            case .never: "never"
            }
        return servesOffline ? name + ", any when offline" : name
    }

    /// The same, and any answer that there is where the server cannot be reached.
    public var orOffline: CachePolicy {
        var policy = self
        policy.servesOffline = true
        return policy
    }
}
