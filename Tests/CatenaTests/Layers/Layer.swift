/// A layer of the library: a folder of `Sources/Catena`, or a part around these folders. Each layer uses those before it, and none after it. The products are
/// modules of their own, which do not use each other.
///
/// Docs/Internals/architecture.svg is drawn from these values.
struct Layer {
    let name: String
    /// The folders in the layer's folder, or its modules, with their contents.
    let parts: [(name: String, what: String)]

    init(_ name: String, _ parts: [(name: String, what: String)]) {
        self.name = name
        self.parts = parts
    }

    /// The layers from the bottom up.
    static let all = [
        Layer("CatenaPromise", [("CatenaPromise", "promises, clocks, locks")]),
        Layer(
            "Values",
            [
                ("Support", "digests, files, text"), ("Redaction", "what is hidden in text"), ("JSON", "scanner, paths, values"),
                ("HTTP", "messages, headers, cookies, bodies"), ("Errors", "why a call failed"), ("Parameters", "values to bytes"),
            ]),
        Layer("Reading", [("Envelope", "bytes to verdict"), ("Decoding", "payload to type"), ("Encoding", "type to JSON")]),
        Layer(
            "Sending",
            [
                ("Bodies", "bodies in transfer"), ("Transfers", "limits, turns, ends"), ("Curl", "the engine on Linux"),
                ("URLSession", "Apple platforms"),
            ]),
        Layer(
            "Describing",
            [
                ("Request", "the description of a call"), ("Profiles", "what tags have in common"), ("Limits", "retry, rates, breakers"),
                ("Authentication", "credentials, refresh"), ("Signing", "signatures"), ("Caching", "keys, rules, storage"),
            ]),
        Layer("Watching", [("Watching", "the record of a call, events, log, diagnostics")]),
        Layer(
            "Running",
            [
                ("Client", "the client and its calls"), ("Settings", "what the calls of a tag share"), ("Call", "one run, one attempt"),
                ("Preparation", "description to request"), ("Stages", "one file for a stage"), ("Attempts", "sending, redirects"),
            ]),
        Layer(
            "Using",
            [
                ("Terminals", "values, promises"), ("Streaming", "bytes, lines, events"), ("Downloads", "files, resumed"),
                ("Paging", "page after page"), ("Endpoints", "typed calls"), ("Activity", "calls in progress"),
                ("Moved", "names of products"),
            ]),
        Layer("API.swift", [("API.swift", "the facade")]),
        Layer(
            "Products",
            [
                ("CatenaArchive", "calls as HAR"), ("CatenaFleet", "shared by machines"), ("CatenaRules", "calls from files"),
                ("CatenaSigners", "AWS, WeChat Pay, Alipay, RSA"),
            ]),
    ]

    /// The modules of the highest layer.
    static var products: [String] { all.last?.parts.map(\.name) ?? [] }

    /// The layers that are folders of the library.
    static var folders: [Layer] { all.dropFirst().dropLast(2) }

    /// The names of the layers from the bottom up, and after them those of the products.
    static var order: [String] { all.dropLast().map(\.name) + products }
}
