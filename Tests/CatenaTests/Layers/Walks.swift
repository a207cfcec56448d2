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
                Hop("API.swift", "`API.tag(.forum)` creates the request"),
                Hop("Request/Request.swift", "the request is a value that each step copies"),
                Hop("Request/Request+With.swift", "`params(_:)` merges the param with those of earlier steps"),
                Hop("Pipeline/Request+Execute.swift", "`execute(as:)` creates a run and its promise"),
                Hop("Client/CallRun.swift", "the run takes a snapshot of the client's configuration"),
                Hop("Client/ResolvedProfile.swift", "the call's own settings override those of the tag"),
                Hop("Pipeline/Pipeline.swift", "the call begins in the task that awaits it, or in that of its promise"),
                Hop("Pipeline/Preparation.swift", "preparation calls the common closures, then assembles the request"),
                Hop("Assembly/RequestAssembly.swift", "the assembly combines host, path, params, body and headers"),
                Hop("Assembly/RequestAssembly+Params.swift", "the assembly puts the param into the query or the body"),
                Hop("Parameters/Params.swift", "the call's params are merged with those of the tag and the common closures"),
                Hop("Parameters/URLQueryEncoder.swift", "the encoder writes the query"),
                Hop("Parameters/ParameterFlattening.swift", "each nested value gets a name"),
                Hop("Parameters/ParameterStyle.swift", "the tag's style determines the text of arrays, dates and booleans"),
                Hop("Support/PercentEncoding.swift", "name and value are percent-encoded"),
                Hop("Pipeline/Stages.swift", "the plan lists the stages of the call"),
                Hop("Client/Stage.swift", "each stage runs the ones that follow it"),
                Hop("Pipeline/Sending/WholeBodyMode.swift", "the attempt sends the request and receives the whole body"),
                Hop("Pipeline/Sending/Redirects.swift", "a further request is sent for each redirect"),
                Hop("Client/Client.swift", "the client's transport sends the request"),
                Hop("Transport/Curl/CurlTransport.swift", "an engine receives the request", through: "Transport/Transport.swift"),
                Hop("Transport/Curl/CurlEngines.swift", "the origin of the request determines the loop"),
                Hop("Transport/Curl/CurlTransfer.swift", "the transfer waits for its turn, and receives a libcurl handle"),
                Hop("Transport/Curl/CurlHandle.swift", "the handle is configured"),
                Hop("Transport/Curl/CurlHandle+Options.swift", "the address becomes an option of the handle"),
            ]),
        Walk(
            title: "A response, from the wire to the call site",
            hops: [
                Hop("Transport/Curl/CurlCallbacks.swift", "libcurl delivers heads and bytes"),
                Hop("Transport/Curl/CurlTransfer.swift", "the transfer collects heads and bytes"),
                Hop("Transport/ResponseHeadReader.swift", "the reader validates the head"),
                Hop("Transport/Curl/CurlIntake.swift", "bytes are accepted, or the transfer is paused"),
                Hop("Transport/Curl/ContentDecoder.swift", "the body is decompressed, up to a size limit"),
                Hop("Transport/Curl/CurlTransport.swift", "the complete response resumes the call"),
                Hop("Client/Client.swift", "the response returns through the client's transport", through: "Transport/Transport.swift"),
                Hop("Pipeline/Sending/WholeBodyMode.swift", "the attempt receives the response"),
                Hop("Pipeline/Sending/Redirects.swift", "a response that is not a redirect passes"),
                Hop("Envelope/EnvelopeReader.swift", "the reader finds code, message and payload, and decides on success or failure"),
                Hop("JSON/JSONScanner.swift", "the scanner reads the bytes in one pass"),
                Hop("Envelope/EnvelopeResult.swift", "the result records the values and their places"),
                Hop("Pipeline/Sending/ReceivedPayload.swift", "the response carries the result through the stages"),
                Hop("Pipeline/Pipeline.swift", "the response returns through the stages"),
                Hop("Decoding/ResultDecoder.swift", "the decoder reads the payload from its own bytes"),
                Hop("Pipeline/Conclusion.swift", "observers are notified and error handlers run"),
                Hop("Client/CallRun.swift", "the run ends"),
                Hop("Pipeline/CallRun+Activity.swift", "the promise settles"),
                Hop("CatenaPromise/PromiseCore.swift", "the attached handlers run"),
            ]),
    ]

    /// The walk as Architecture.md shows it.
    var text: String {
        "**\(title)**\n\n" + hops.enumerated().map { "\($0 + 1). `\($1.file)`: \($1.what)." }.joined(separator: "\n")
    }
}
