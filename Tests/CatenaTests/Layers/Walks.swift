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
                Hop("Describing/Request/Request.swift", "the request is a value that each step copies"),
                Hop("Describing/Request/Request+With.swift", "`params(_:)` merges the param with those of earlier steps"),
                Hop("Using/Terminals/Request+Execute.swift", "`execute(as:)` creates a run and its promise"),
                Hop("Running/Call/CallRun.swift", "the run takes a snapshot of the client's configuration"),
                Hop("Running/Settings/ResolvedProfile.swift", "the call's own settings override those of the tag"),
                Hop("Running/Pipeline.swift", "the call begins in the task that awaits it, or in that of its promise"),
                Hop("Running/Preparation/Preparation.swift", "preparation calls the common closures, then assembles the request"),
                Hop("Running/Preparation/RequestAssembly.swift", "the assembly combines host, path, params, body and headers"),
                Hop("Running/Preparation/RequestAssembly+Params.swift", "the assembly puts the param into the query or the body"),
                Hop("Values/Parameters/Params.swift", "the call's params are merged with those of the tag and the common closures"),
                Hop("Values/Parameters/URLQueryEncoder.swift", "the encoder writes the query"),
                Hop("Values/Parameters/ParameterFlattening.swift", "each nested value gets a name"),
                Hop("Values/Parameters/ParameterStyle.swift", "the tag's style determines the text of arrays, dates and booleans"),
                Hop("Values/Support/Text/PercentEncoding.swift", "name and value are percent-encoded"),
                Hop("Running/Stages.swift", "the plan lists the stages of the call"),
                Hop("Running/Stage.swift", "each stage runs the ones that follow it"),
                Hop("Running/Attempts/WholeBodyMode.swift", "the attempt sends the request and receives the whole body"),
                Hop("Running/Attempts/Redirects.swift", "a further request is sent for each redirect"),
                Hop("Sending/Carrier.swift", "the carrier calls the transport of the call or of its client"),
                Hop("Sending/Curl/CurlTransport.swift", "an engine receives the request"),
                Hop("Sending/Curl/Loop/CurlEngines.swift", "the origin of the request determines the loop"),
                Hop("Sending/Curl/Transfer/CurlTransfer.swift", "the transfer waits for its turn, and receives a libcurl handle"),
                Hop("Sending/Curl/CurlHandle.swift", "the handle is configured"),
                Hop("Sending/Curl/CurlHandle+Options.swift", "the address becomes an option of the handle"),
            ]),
        Walk(
            title: "A response, from the wire to the call site",
            hops: [
                Hop("Sending/Curl/Transfer/CurlCallbacks.swift", "libcurl delivers heads and bytes"),
                Hop("Sending/Curl/Transfer/CurlTransfer.swift", "the transfer collects heads and bytes"),
                Hop("Sending/Bodies/ResponseHeadReader.swift", "the reader validates the head"),
                Hop("Sending/Curl/Transfer/CurlIntake.swift", "bytes are accepted, or the transfer is paused"),
                Hop("Sending/Curl/Transfer/ContentDecoder.swift", "the body is decompressed, up to a size limit"),
                Hop("Sending/Curl/CurlTransport.swift", "the complete response resumes the call"),
                Hop("Sending/Transport.swift", "the response gets its whole body"),
                Hop("Running/Attempts/WholeBodyMode.swift", "the attempt receives the response"),
                Hop("Running/Attempts/Redirects.swift", "a response that is not a redirect passes"),
                Hop(
                    "Reading/Envelope/Reader/EnvelopeReader.swift",
                    "the reader finds code, message and payload, and decides on success or failure"),
                Hop("Values/JSON/Scanning/JSONScanner.swift", "the scanner reads the bytes in one pass"),
                Hop("Reading/Envelope/Reader/EnvelopeResult.swift", "the result records the values and their places"),
                Hop("Running/Attempts/ReceivedPayload.swift", "the response carries the result through the stages"),
                Hop("Running/Pipeline.swift", "the response returns through the stages"),
                Hop("Reading/Decoding/ResultDecoder.swift", "the decoder reads the payload from its own bytes"),
                Hop("Running/Conclusion.swift", "observers are notified and error handlers run"),
                Hop("Running/Call/CallRun.swift", "the run ends"),
                Hop("Running/Call/CallRun+Activity.swift", "the promise settles"),
                Hop("CatenaPromise/PromiseCore.swift", "the attached handlers run"),
            ]),
    ]

    /// The walk as Architecture.md shows it.
    var text: String {
        "**\(title)**\n\n" + hops.enumerated().map { "\($0 + 1). `\($1.file)`: \($1.what)." }.joined(separator: "\n")
    }
}
