/// The payload, the protocol and the number of concurrent calls of a measurement.
struct Scenario: Hashable, Sendable {
    /// The protocols. Each has its own server, which refuses other versions.
    enum Wire: String, CaseIterable, Sendable {
        case http1
        case https1
        case https2
        /// A stub without a network.
        case stub

        var title: String {
            switch self {
            case .http1: "HTTP/1.1"
            case .https1: "HTTP/1.1 over TLS"
            case .https2: "HTTP/2 over TLS"
            case .stub: "over a stub"
            }
        }
    }

    enum Size: String, CaseIterable, Sendable {
        case small
        case large

        var title: String {
            switch self {
            case .small: "small JSON"
            case .large: "100 KB of JSON"
            }
        }
    }

    var wire: Wire
    var size: Size
    /// The number of concurrent calls.
    var width: Int
}
