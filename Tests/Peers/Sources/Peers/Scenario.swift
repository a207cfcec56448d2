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

    /// The sizes of the response body: a single object, or a list of objects.
    enum Size: String, CaseIterable, Sendable {
        case small
        case kilobyte = "1KB"
        case tenKilobytes = "10KB"
        case hundredKilobytes = "100KB"
        case megabyte = "1MB"

        var title: String {
            switch self {
            case .small: "small JSON"
            case .kilobyte: "1 KB of JSON"
            case .tenKilobytes: "10 KB of JSON"
            case .hundredKilobytes: "100 KB of JSON"
            case .megabyte: "1 MB of JSON"
            }
        }

        /// The number of objects in the list, or `nil` for a single object.
        var count: Int? {
            switch self {
            case .small: nil
            case .kilobyte: 12
            case .tenKilobytes: 125
            case .hundredKilobytes: 1230
            case .megabyte: 12_000
            }
        }
    }

    var wire: Wire
    var size: Size
    /// The number of concurrent calls.
    var width: Int
}
