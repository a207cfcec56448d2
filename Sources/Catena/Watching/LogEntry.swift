/// An entry of a log without secrets: its text, and the parts that a structured log stores separately.
///
/// ```swift
/// API.log(.oneLine, to: LogSink.entries { entry in records.append(entry.text, status: entry.status) })
/// ```
public struct LogEntry: Sendable {
    /// The text, as other sinks receive it, without a line break at its end.
    public let text: String
    /// The number of the call, as in ``CallEvent/callID``, or `nil` if the entry is about the log itself.
    public private(set) var callID: UInt64?
    /// The tag of the call.
    public private(set) var tag: Tag?
    /// The method of the request, or `nil` if the request could not be created.
    public private(set) var method: HTTPMethod?
    /// The status of the response, if there was one.
    public private(set) var status: Int?
    /// The number of the attempt, from 1, or `nil` if the request could not be created.
    public private(set) var attempt: Int?
    /// The kind of the failure, ``APIError/Kind/cancelled`` included, or `nil` if the attempt did not fail.
    public private(set) var failure: APIError.Kind?
    /// The source of the response, if there was one.
    public private(set) var source: ResponseSource?
    /// The values that the app has set for the call.
    private var ownValues = OptionValues()

    /// The value of your own that ``RequestSteps/set(_:_:)-(Key.Type,_)`` has set for the call, or the key's initial value. The text does not contain it.
    public subscript<Key: OptionKey>(key: Key.Type) -> Key.Value { ownValues[key] }

    /// Creates an entry about the log itself.
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
        ownValues = call.request.ownValues
    }

    /// Creates an entry about a call whose request could not be created.
    init(_ text: String, of event: CallEvent, failure: APIError.Kind) {
        self.text = text
        callID = event.callID
        tag = event.tag
        ownValues = event.ownValues
        self.failure = failure
    }
}
