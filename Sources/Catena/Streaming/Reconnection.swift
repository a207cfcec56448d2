/// What follows when the connection of an event stream ends: after a while it is made anew, and the server told which event came last.
///
/// ```swift
/// API.get("/feed").events(reconnecting: .after(.seconds(1), limit: 10))
/// ```
public struct Reconnection: Sendable, Equatable {
    /// How long to wait, unless the server says something else.
    public var wait: Duration
    /// How many connections in a row may end without an event.
    public var limit: Int

    /// The end of the connection is the end of the events.
    public static let none = Reconnection(wait: .zero, limit: 0)

    /// As browsers do it.
    public static let standard = after(.seconds(3), limit: 3)

    public static func after(_ wait: Duration, limit: Int) -> Reconnection {
        Reconnection(wait: wait, limit: limit)
    }

    /// Whether the failure of a connection is one that another connection may not have.
    static func helps(after error: APIError) -> Bool {
        [.connectionLost, .offline, .dns, .connect, .timeout].contains(error.kind)
    }
}
