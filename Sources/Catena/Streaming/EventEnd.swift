/// The treatment of an event that a connection ends before the empty line that would complete it.
///
/// A connection that breaks is a failure in any case, and its last event is discarded.
public enum UnfinishedEvent: Sendable {
    /// Ends the stream with an error of kind ``APIError/Kind/connectionLost`` whose ``APIError/body`` is the data of the event. If the stream
    /// reconnects, the event is discarded.
    case fail
    /// Delivers the event, as if the empty line followed.
    case deliver
    /// Discards the event, as the WHATWG specifies.
    case discard
}

/// The event with which a server ends a stream.
struct EventSentinel: Sendable {
    let data: String
    /// Whether a stream without this event is incomplete.
    let isRequired: Bool

    /// The end of the streams of chat services. It is no JSON, so that no value is lost.
    static let usual = EventSentinel(data: "[DONE]", isRequired: false)
}
