/// The floors of the library from the bottom up, with the contents of their rooms. A room uses those before it, and none after it. The products are modules
/// of their own.
///
/// Docs/Internals/architecture.svg is drawn from these values.
struct Floor {
    let name: String
    let rooms: [(name: String, what: String)]

    static let all = [
        Floor(name: "Promise", rooms: [("CatenaPromise", "promises, clocks, locks")]),
        Floor(
            name: "Ground",
            rooms: [
                ("Support", "digests, files, text"), ("Redaction", "what is hidden in text"), ("JSON", "scanner, paths, values"),
                ("HTTP", "messages, headers, addresses, cookies, bodies"),
            ]),
        Floor(
            name: "Pure",
            rooms: [
                ("Errors", "why a call failed"), ("Parameters", "values to bytes"), ("Envelope", "bytes to verdict"),
            ]),
        Floor(name: "Types", rooms: [("Decoding", "payload to type"), ("Encoding", "type to JSON")]),
        Floor(name: "Network", rooms: [("Transport", "libcurl, URLSession, bodies on their way")]),
        Floor(
            name: "Parts",
            rooms: [
                ("Limits", "retry, rates, breakers"), ("Authentication", "credentials, refresh"), ("Signing", "signatures"),
                ("Caching", "keys, rules, storage"),
            ]),
        Floor(
            name: "Calls",
            rooms: [
                ("Request", "describing a call"), ("Client", "what tags have in common; a call under way"),
                ("Assembly", "description to request"), ("Pipeline", "stages, beginning and end of a call"),
            ]),
        Floor(
            name: "Built on calls",
            rooms: [
                ("Streaming", "bytes, lines, events"), ("Downloads", "files, resumed"), ("Paging", "page after page"),
                ("Endpoints", "typed calls"), ("Activity", "what is under way"),
                ("Observability", "log"),
            ]),
        Floor(name: "Facade", rooms: [("API.swift", "API"), ("Moved", "names that products have")]),
        Floor(
            name: "Products",
            rooms: [
                ("CatenaArchive", "calls as HAR"), ("CatenaFleet", "shared by machines"), ("CatenaRules", "calls from files"),
                ("CatenaSigners", "AWS, WeChat Pay, Alipay, RSA"),
            ]),
    ]

    /// The modules of the highest floor.
    static var products: [String] { all.last?.rooms.map(\.name) ?? [] }

    /// The rooms in the order of the floors.
    static var order: [String] { all.flatMap { $0.rooms.map(\.name) } }
}
