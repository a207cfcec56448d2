/// What follows when the connection of an event stream ends: after a while it is made anew, and the server told which event came last.
///
/// ```swift
/// API.get("/feed").events(reconnecting: .after(.seconds(1), limit: 10))
/// ```
public struct Reconnection: Sendable, Equatable {
    /// How long to wait, unless the server says something else: from half a second to an hour.
    public var wait: Duration
    /// How many connections in a row may end without an event. One that ends because nothing has arrived for the idle limit of its call is
    /// not counted: a server need not have anything to say.
    public var limit: Int

    /// What a server may ask for. Less would be a way to have its clients connect as fast as they can, and more one to get rid of them.
    static let allowedWaits = Duration.milliseconds(500) ... .seconds(3600)

    /// The end of the connection is the end of the events.
    public static let none = Reconnection(wait: .zero, limit: 0)

    /// As browsers do it.
    public static let standard = after(.seconds(3), limit: 3)

    public static func after(_ wait: Duration, limit: Int) -> Reconnection {
        Reconnection(wait: wait, limit: limit)
    }

    /// How long to wait when the server has asked for so long; `nil` if it has not.
    func wait(asked: Duration?) -> Duration {
        asked.map { min(max($0, Self.allowedWaits.lowerBound), Self.allowedWaits.upperBound) } ?? wait
    }

    /// Whether the failure of a connection is one that another connection may not have.
    static func helps(after error: APIError) -> Bool {
        [.connectionLost, .offline, .dns, .connect, .timeout].contains(error.kind)
    }
}
