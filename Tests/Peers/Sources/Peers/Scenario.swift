/// What is asked for, over which protocol and how many at a time.
struct Scenario: Hashable, Sendable {
    /// Each has a server of its own, which refuses requests of any other version.
    enum Wire: String, CaseIterable, Sendable {
        case http1
        case https1
        case https2
        /// No network at all.
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
    /// How many calls are under way at a time.
    var width: Int
}
