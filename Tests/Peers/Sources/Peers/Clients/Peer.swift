/// A client and the way in which it is used.
enum Peer: String, CaseIterable, Sendable {
    case curlAlone = "libcurl"
    case wrk
    case catenaData = "catena-data"
    case catenaPromise = "catena-promise"
    case catenaValue = "catena-value"
    case asyncHTTPClient = "ahc"
    case asyncHTTPClientJSON = "ahc-json"
    case urlSession = "urlsession"
    case urlSessionJSON = "urlsession-json"
    case decoderAlone = "decoder"

    var title: String {
        switch self {
        case .curlAlone: "libcurl alone"
        case .wrk: "wrk"
        case .catenaData: "Catena, data()"
        case .catenaPromise: "Catena, promise of data()"
        case .catenaValue: "Catena, value(as:)"
        case .asyncHTTPClient: "async-http-client, body"
        case .asyncHTTPClientJSON: "async-http-client, JSONDecoder"
        case .urlSession: "URLSession, body"
        case .urlSessionJSON: "URLSession, JSONDecoder"
        case .decoderAlone: "JSONDecoder alone"
        }
    }

    /// Whether the client takes part in a scenario. wrk supports only HTTP/1.1, and has no warm-up for making many connections over TLS. With 1,000
    /// concurrent calls, only Catena and its reference take part.
    func takesPart(in scenario: Scenario) -> Bool {
        switch self {
        case .catenaData, .catenaPromise, .catenaValue: true
        case .decoderAlone: scenario.wire == .stub
        case .curlAlone: scenario.wire != .stub
        case .wrk: scenario.wire == .http1 && scenario.width <= 512 || scenario.wire == .https1 && scenario.width <= 64
        case .asyncHTTPClient, .asyncHTTPClientJSON, .urlSession, .urlSessionJSON: scenario.wire != .stub && scenario.width <= 512
        }
    }

    /// Measures the client in this process.
    func measure(_ scenario: Scenario, at server: Server, effort: Effort) async throws -> Figures {
        switch self {
        case .curlAlone:
            return try measureCurlAlone(scenario, at: server, effort: effort)
        case .wrk:
            return try measureWrk(scenario, at: server, effort: effort)
        case .catenaData, .catenaPromise, .catenaValue:
            let call = try CatenaPeer.call(scenario, at: server, self)
            return try await measureCalls(width: scenario.width, effort: effort, call)
        case .asyncHTTPClient, .asyncHTTPClientJSON:
            let call = try AsyncHTTPClientPeer.call(scenario, at: server, isTyped: self == .asyncHTTPClientJSON)
            return try await measureCalls(width: scenario.width, effort: effort, call)
        case .urlSession, .urlSessionJSON:
            let call = try URLSessionPeer.call(scenario, at: server, isTyped: self == .urlSessionJSON)
            return try await measureCalls(width: scenario.width, effort: effort, call)
        case .decoderAlone:
            return try await measureCalls(width: scenario.width, effort: effort, decodingAlone(scenario.size))
        }
    }
}
