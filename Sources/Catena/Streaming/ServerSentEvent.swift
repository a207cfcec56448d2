/// An event that a server sent, as the WHATWG text on server-sent events has it.
public struct ServerSentEvent: Sendable, Equatable {
    /// What sort of event it is; `"message"` if the server does not say.
    public let event: String
    /// The data; several lines are joined by line feeds.
    public let data: String
    /// The id of the last event that had one; "" if none has had one.
    public let id: String

    public init(event: String = "message", data: String, id: String = "") {
        self.event = event
        self.data = data
        self.id = id
    }
}
