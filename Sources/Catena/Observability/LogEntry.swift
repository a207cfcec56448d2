/// An entry of a log: its text, and the parts of it that a structured log stores apart. It has no secrets.
///
/// ```swift
/// API.log(.oneLine, to: LogSink.entries { entry in records.append(entry.text, status: entry.status) })
/// ```
public struct LogEntry: Sendable {
    /// The text, as other sinks receive it, without a line break at its end.
    public let text: String
    /// Tells calls apart, as ``CallEvent/callID`` does; `nil` if the entry is about the log itself.
    public private(set) var callID: UInt64?
    /// The tag of the call.
    public private(set) var tag: Tag?
    /// The method of the request; `nil` if the request could not be built.
    public private(set) var method: HTTPMethod?
    /// The status of the response, if there was one.
    public private(set) var status: Int?
    /// The number of the attempt, from 1; `nil` if the request could not be built.
    public private(set) var attempt: Int?
    /// The kind of the failure, ``APIError/Kind/cancelled`` included; `nil` if the attempt did not fail.
    public private(set) var failure: APIError.Kind?
    /// Where the response came from, if there was one.
    public private(set) var source: ResponseSource?

    /// An entry about the log itself.
    init(_ text: String) {
        self.text = text
    }

    init(_ text: String, of call: RecordedCall) {
        self.text = text
        callID = call.callID
        tag = call.tag
        method = call.request.method
        status = call.response?.status
        attempt = call.attempt
        failure = call.error?.kind
        source = call.response?.source
    }

    init(_ text: String, ofCallWithoutRequest callID: UInt64, tag: Tag?, failure: APIError.Kind) {
        self.text = text
        self.callID = callID
        self.tag = tag
        self.failure = failure
    }
}
