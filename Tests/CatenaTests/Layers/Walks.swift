/// The files through which a value passes, in order, with the effect of each. Files that only store it or pass it on unchanged are omitted.
///
/// Docs/Internals/Architecture.md contains these texts.
struct Walk {
    struct Hop {
        let file: String
        let what: String
        /// The file of the protocol through which the previous file leads here. It has only declarations, so that no call executes it.
        let declaration: String?

        init(_ file: String, _ what: String, through declaration: String? = nil) {
            self.file = file
            self.what = what
            self.declaration = declaration
        }
    }

    let title: String
    let hops: [Hop]

    static let all = [
        Walk(
            title: "A param, from the call site to the wire",
            hops: [
                Hop("API.swift", "`API.tag(.forum)` begins the request"),
                Hop("Request/Request.swift", "the request is a value that every step copies"),
                Hop("Request/Request+With.swift", "`params(_:)` merges it with those of earlier steps"),
                Hop("Pipeline/Request+Execute.swift", "`execute(as:)` makes an execution and its promise"),
                Hop("Client/Execution.swift", "the execution takes the client's configuration of the moment"),
                Hop("Client/ResolvedProfile.swift", "the call's options are laid over the tag's: where params go, how they are written"),
                Hop("Pipeline/Pipeline.swift", "the call begins, and does what need not wait"),
                Hop("Pipeline/Preparation.swift", "the common closures are asked, and the request is assembled"),
                Hop("Assembly/RequestAssembly.swift", "host, path, params, body and headers are put together"),
                Hop("Assembly/RequestAssembly+Params.swift", "it goes to the query or to the body"),
                Hop("Parameters/Params.swift", "it is merged with those of the tag and of the common closures"),
                Hop("Parameters/URLQueryEncoder.swift", "the query is written"),
                Hop("Parameters/ParameterFlattening.swift", "nested values get names of their own"),
                Hop("Parameters/ParameterStyle.swift", "arrays, dates and booleans are written as the tag says"),
                Hop("Support/PercentEncoding.swift", "its bytes are percent-encoded"),
                Hop("Pipeline/Stages.swift", "the plan says which stages it enters"),
                Hop("Pipeline/Sending/WholeBodyMode.swift", "an attempt sends it"),
                Hop("Pipeline/Sending/Redirects.swift", "and follows where the response leads"),
                Hop("Client/Client.swift", "by the client's transport"),
                Hop("Transport/Curl/CurlTransport.swift", "the engine takes the request", through: "Transport/Transport.swift"),
                Hop("Transport/Curl/CurlEngines.swift", "with the loop that its origin has been dealt to"),
                Hop("Transport/Curl/CurlTransfer.swift", "when it is its turn, the transfer gets a handle of libcurl"),
                Hop("Transport/Curl/CurlHandle.swift", "which is made ready"),
                Hop("Transport/Curl/CurlHandle+Options.swift", "libcurl is told the address"),
            ]),
        Walk(
            title: "A response, from the wire to the call site",
            hops: [
                Hop("Transport/Curl/CurlCallbacks.swift", "libcurl hands over heads and bytes"),
                Hop("Transport/Curl/CurlTransfer.swift", "the transfer puts them together"),
                Hop("Transport/ResponseHeadReader.swift", "the head is checked"),
                Hop("Transport/Curl/CurlIntake.swift", "what comes in is taken or held back"),
                Hop("Transport/Curl/ContentDecoder.swift", "the body is decompressed, within its limit"),
                Hop("Transport/Curl/CurlTransport.swift", "the whole response wakes its call"),
                Hop("Client/Client.swift", "on behalf of the client", through: "Transport/Transport.swift"),
                Hop("Pipeline/Sending/WholeBodyMode.swift", "the attempt takes it"),
                Hop("Pipeline/Sending/Redirects.swift", "unless it leads elsewhere"),
                Hop("Envelope/EnvelopeReader.swift", "code, message and payload are looked for, and the verdict is given"),
                Hop("JSON/JSONScanner.swift", "in one pass over the bytes"),
                Hop("Envelope/EnvelopeResult.swift", "the reading says what was found, and where"),
                Hop("Pipeline/Sending/ReceivedPayload.swift", "the reading goes with the response through the stages"),
                Hop("Pipeline/Pipeline.swift", "the response leaves the stages"),
                Hop("Decoding/ResultDecoder.swift", "the payload is decoded from its own bytes"),
                Hop("Pipeline/Conclusion.swift", "observers and error handlers are told"),
                Hop("Client/Execution.swift", "the execution is over"),
                Hop("Pipeline/Execution+Activity.swift", "the promise is settled"),
                Hop("CatenaPromise/PromiseCore.swift", "what was attached to it runs"),
            ]),
    ]

    /// The walk as Architecture.md shows it.
    var text: String {
        "**\(title)**\n\n" + hops.enumerated().map { "\($0 + 1). `\($1.file)`: \($1.what)." }.joined(separator: "\n")
    }
}
