/// The texts of a report in one language.
struct Words: Sendable {
    /// The tag of the language.
    let language: String
    /// The heading of a table, for a protocol and a size.
    let beside: @Sendable (_ wire: String, _ size: String) -> String
    let summary: String
    let speed: String
    let cost: String
    let multiples: String
    let over: String
    let stub: String
    let switches: String
    /// The title of the plot and the headings of its bars.
    let plot: String
    let atATime: String
    let plotSpeed: String
    let plotCost: String
    let more: String
    let less: String
    let wire: @Sendable (Scenario.Wire) -> String
    let size: @Sendable (Scenario.Size) -> String
    let client: @Sendable (Peer) -> String

    static let english = Words(
        language: "en",
        beside: { "\($0), \($1), beside libcurl alone, by how many calls are in progress at a time:" },
        summary: "Processor time of a call, 64 at a time. libcurl alone is 1, and less is better:",
        speed: "calls/s", cost: "processor time",
        multiples: "How many times as many calls a second Catena makes as other clients, small JSON:", over: "over",
        stub: "Over a stub that answers at once, processor time of a call beside a `JSONDecoder` that decodes the same bytes:",
        switches: "context switches",
        plot: "Calls a second and processor time of a call, 64 at a time, small JSON, as multiples of libcurl alone",
        atATime: "64 at a time", plotSpeed: "calls a second", plotCost: "processor time of a call",
        more: "libcurl alone = 1; more is better",
        less: "libcurl alone = 1; less is better",
        wire: { $0.title }, size: { $0.title }, client: { $0.title })

    static let chinese = Words(
        language: "zh-Hans",
        beside: { "\($0)，\($1)，以单独的 libcurl 为 1，按同时进行的调用数：" },
        summary: "一次调用的处理器时间，同时进行 64 个调用。单独的 libcurl 为 1，越小越好：",
        speed: "每秒调用数", cost: "处理器时间", multiples: "Catena 每秒的调用数是其他客户端的几倍，小型 JSON：",
        over: "对比", stub: "在立即应答的桩上，一次调用的处理器时间，以解码同样字节的 `JSONDecoder` 为 1：",
        switches: "上下文切换", plot: "每秒调用数和一次调用的处理器时间，同时进行 64 个，小型 JSON，以单独的 libcurl 为 1",
        atATime: "同时进行 64 个", plotSpeed: "每秒调用数", plotCost: "一次调用的处理器时间", more: "单独的 libcurl 为 1，越大越好", less: "单独的 libcurl 为 1，越小越好",
        wire: { wire in
            switch wire {
            case .http1: "HTTP/1.1"
            case .https1: "TLS 上的 HTTP/1.1"
            case .https2: "TLS 上的 HTTP/2"
            case .stub: "桩"
            }
        },
        size: { $0 == .small ? "小型 JSON" : $0.title.replacing(" of", with: "") },
        client: { peer in
            switch peer {
            case .curlAlone: "单独的 libcurl"
            case .wrk: "wrk"
            case .catenaData: "Catena，data()"
            case .catenaPromise: "Catena，data() 的 Promise"
            case .catenaValue: "Catena，value(as:)"
            case .asyncHTTPClient: "async-http-client，响应体"
            case .asyncHTTPClientJSON: "async-http-client，JSONDecoder"
            case .urlSession: "URLSession，响应体"
            case .urlSessionJSON: "URLSession，JSONDecoder"
            case .decoderAlone: "单独的 JSONDecoder"
            }
        })
}
