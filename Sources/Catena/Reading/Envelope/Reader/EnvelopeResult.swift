public import CatenaPlatform

/// A response whose envelope has been read: code, message and payload.
public struct EnvelopeResult: Sendable {
    /// The position of a successful response's payload.
    enum Payload: Sendable, Equatable {
        /// The whole body.
        case body
        /// A range of the body's text.
        case range(Range<Int>)
        /// Bytes that were derived from the response.
        case bytes(Data)
        /// No payload: the response is an envelope without one, or only `null`.
        case missing
        /// No body.
        case empty
    }

    /// The members, stored behind one reference so that the frames of async functions, which contain copies, stay small.
    private var storage: CopyOnWrite<EnvelopeContents>

    /// Creates a result for a response that has not been read yet.
    init(_ response: HTTPResponse) {
        storage = CopyOnWrite(EnvelopeContents(response, text: BodyText.utf8(of: response)))
    }

    /// Creates the result that an ``EnvelopeAdapter`` has read.
    ///
    /// - Parameters:
    ///   - response: The response that was read.
    ///   - payload: The bytes to decode, or `nil` if the response has no payload.
    ///   - code: The code of the envelope, if there is one.
    ///   - message: The message of the envelope, or `""` if there is none.
    ///   - traceID: The id of the call in the backend's logs.
    public init(
        _ response: HTTPResponse,
        payload: Data?,
        code: ErrorCode? = nil,
        message: String = "",
        traceID: String? = nil
    ) {
        var contents = EnvelopeContents(response, text: response.body)
        contents.payload = payload.map(Payload.bytes) ?? .missing
        contents.code = code
        contents.message = message
        contents.traceID = traceID
        storage = CopyOnWrite(contents)
    }

    /// The bytes of the payload, or `nil` if there is no payload.
    public var payloadBytes: Data? {
        let bytes: Data? =
            switch payload {
            case .body: text
            case .range(let range): text.bytes(in: range)
            case .bytes(let bytes): bytes
            case .missing, .empty: nil
            }
        return contents.removesNulls ? bytes.map(NullRemovingDecoder.withoutNulls) : bytes
    }
}

/// The contents of an ``EnvelopeResult``.
struct EnvelopeContents: Sendable {
    let response: HTTPResponse
    /// The body in UTF-8, to which the range of ``payload`` refers.
    let text: Data
    var payload = EnvelopeResult.Payload.body
    var isFailure = false
    var code: ErrorCode?
    var message = ""
    var traceID: String?
    var extras: [String: JSON] = [:]
    /// The decoder of the body, if the body is not JSON.
    var decoder: (any PayloadDecoder)? {
        didSet { hasDecoder = decoder != nil }
    }
    /// Whether there is a decoder. Stored separately, because reading the decoder would copy it.
    var hasDecoder = false
    var isJSON = true
    /// Whether the call unwraps a place that the body does not have.
    var isPlaceMissing = false
    /// Whether a payload `[]` is decoded as `{}` if an object is needed.
    var isEmptyArrayObject = false
    /// The facts by which the type decides between payload and whole body, if only commonly used keys identify the payload.
    var guess: PayloadGuess?
    /// Whether null members are removed from the part that the type takes, before it is decoded.
    var removesNulls = false
    /// Records a type that was decoded although the response has none of its keys.
    var noteNoKeys: (@Sendable (Any.Type) -> Void)?
    /// The positions of the text's values, if they have been recorded.
    var scanned: ScannedDocument?
    /// The places that were searched for a payload, if none was found.
    var payloadPlaces: [String] = []
    /// The reason why an accepted response looks like a failure, if it does.
    var suspectedFailure: SuspectedFailure?

    // Written out, because the memberwise initializer would create and copy an argument for each default.
    init(_ response: HTTPResponse, text: Data) {
        self.response = response
        self.text = text
    }
}

extension EnvelopeResult {
    var contents: EnvelopeContents {
        _read { yield storage.value }
        _modify { yield &storage.value }
    }
    /// The response.
    public var response: HTTPResponse {
        _read { yield contents.response }
    }
    var text: Data {
        _read { yield contents.text }
    }
    var payload: Payload {
        _read { yield contents.payload }
        _modify { yield &contents.payload }
    }
    /// Whether the call failed, because of its status, its envelope or an unreadable body. A ``ResponseFamily`` is asked for an error in any case.
    public internal(set) var isFailure: Bool {
        _read { yield contents.isFailure }
        _modify { yield &contents.isFailure }
    }
    /// The code of the envelope, if there is one.
    public var code: ErrorCode? {
        _read { yield contents.code }
        _modify { yield &contents.code }
    }
    /// The message of the envelope, or `""` if there is none.
    public var message: String {
        _read { yield contents.message }
        _modify { yield &contents.message }
    }
    /// The id of the call in the backend's logs, if the envelope contains one.
    public var traceID: String? {
        _read { yield contents.traceID }
        _modify { yield &contents.traceID }
    }
    /// The values at the places that ``Envelope/extras(_:)`` names, by place.
    public var extras: [String: JSON] {
        _read { yield contents.extras }
        _modify { yield &contents.extras }
    }
}

extension EnvelopeResult: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["response": response, "description": description]) }
}

extension EnvelopeResult: CustomStringConvertible {
    /// Status, code and message on one line, without secrets and without the payload.
    public var description: String {
        let parts = ["status \(response.status)", code.map { "code \($0)" }, message.isEmpty ? nil : message]
        return Redaction.current.line(parts.compactMap { $0 }.joined(separator: " · "))
    }
}

extension EnvelopeResult {
    /// Removes null members from the payload. If the type still chooses the payload, they are removed when it is decoded.
    mutating func removeNulls() {
        contents.removesNulls = !contents.hasDecoder
        guard contents.removesNulls, contents.guess == nil else { return }
        if let bytes = payloadBytes { payload = .bytes(bytes) }
        contents.removesNulls = false
    }
}

// MARK: Errors

extension EnvelopeResult {
    package func failure(_ kind: APIError.Kind, _ message: String, underlying: (any Error)? = nil) -> APIError {
        var error = APIError(kind, message: message, underlying: underlying)
        error.attach(response)
        return error
    }

    /// - Parameter fitsWhole: Whether the call's type fits the whole body.
    package func missingPayload(_ type: Any.Type, fitsWhole: Bool = false) -> APIError {
        var what = payload == .empty ? "The response is empty" : "The response has no payload"
        if !contents.payloadPlaces.isEmpty {
            what += " (it was looked for at " + contents.payloadPlaces.map { "\"\($0)\"" }.joined(separator: ", ") + ")"
        }
        var advice = fitsWhole ? " The whole body would do: envelope.missingPayload(.body)." : ""
        if payload == .empty { advice += " void() takes an empty response, and so does an optional type." }
        return failure(.missingPayload, "\(what), but the call needs \(type).\(advice)")
    }

    /// Creates the error of a body or payload that is not JSON although it must be.
    func malformed(_ fault: JSONSyntaxError, as type: Any.Type, in bytes: Data) -> APIError {
        let isPropertyList = MediaType(response.headers["Content-Type"]).map { PayloadDecoders.propertyLists.contains($0.name) } ?? false
        let fault = BodyExcerpt.isText(response.headers["Content-Type"]) ? fault : fault.withoutExcerpt
        let advice = isPropertyList ? ". A property list is read where `accept` or `decoders` names its media type." : ""
        return failure(
            .decoding, "Cannot decode \(type): the response is \(fault). It begins: \(start(bytes))\(advice)", underlying: fault)
    }

    /// Returns the first bytes without secrets, on one line.
    func start(_ bytes: Data) -> String {
        BodyExcerpt.start(of: bytes, contentType: response.headers["Content-Type"])
    }
}
