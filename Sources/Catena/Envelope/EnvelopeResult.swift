public import Foundation

/// A response whose envelope has been read: its code and message, and where its payload is.
public struct EnvelopeResult: Sendable {
    /// The place of a successful response's payload.
    enum Payload: Sendable, Equatable {
        /// The whole body.
        case body
        /// This range of the body's text.
        case range(Range<Int>)
        /// These bytes, made from what the response has.
        case bytes(Data)
        /// The response is an envelope and has none, or is nothing but `null`.
        case missing
        /// There is no body.
        case empty
    }

    /// Everything is in here: each function that a call waits in keeps a few of it, and what it keeps is room to be got for each call.
    private var contents: CopyOnWrite<EnvelopeContents>

    /// A response as it came.
    init(_ response: HTTPResponse) {
        contents = CopyOnWrite(EnvelopeContents(response, text: BodyText.utf8(of: response)))
    }

    /// Creates the result that an ``EnvelopeAdapter`` has read.
    ///
    /// - Parameters:
    ///   - response: The response that was read.
    ///   - payload: The bytes that are decoded; `nil` if the response has none.
    ///   - code: The code of the envelope, if there is one.
    ///   - message: The message of the envelope; "" if there is none.
    ///   - traceID: The id by which the backend finds the call in its logs.
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
        self.contents = CopyOnWrite(contents)
    }

    /// The payload's own bytes; `nil` if there is no payload.
    public var payloadBytes: Data? {
        switch payload {
        case .body: text
        case .range(let range): text.bytes(in: range)
        case .bytes(let bytes): bytes
        case .missing, .empty: nil
        }
    }
}

/// The contents of an ``EnvelopeResult``.
struct EnvelopeContents: Sendable {
    let response: HTTPResponse
    /// The body in UTF-8; what ``payload`` is a range of.
    let text: Data
    var payload = EnvelopeResult.Payload.body
    var isFailure = false
    var code: ErrorCode?
    var message = ""
    var traceID: String?
    var extras: [String: JSON] = [:]
    /// How the body is decoded, if it is not JSON.
    var decoder: (any PayloadDecoder)? {
        didSet { hasDecoder = decoder != nil }
    }
    /// Whether there is one, which is asked without a copy of it.
    var hasDecoder = false
    var isJSON = true
    /// Whether the call asks for a place that the body does not have.
    var isPlaceMissing = false
    /// Whether a payload `[]` stands for `{}` where an object is needed.
    var isEmptyArrayObject = false
    /// The facts known of the payload where usual keys alone say what it is, so that a type decides between it and the whole body.
    var guess: PayloadGuess?
    /// Takes note of a type that has been decoded although none of its keys was there.
    var noteNoKeys: (@Sendable (Any.Type) -> Void)?
    /// The places of the text's values, if they are known.
    var scanned: ScannedDocument?
    /// The places searched for a payload, if there is none.
    var payloadPlaces: [String] = []
    /// Why a response that passes looks like a failure, if it does.
    var failureLook: FailureLook?

    // Not the memberwise one, which makes and copies an argument for each member that is not given.
    init(_ response: HTTPResponse, text: Data) {
        self.response = response
        self.text = text
    }
}

extension EnvelopeResult {
    /// The response.
    public var response: HTTPResponse {
        _read { yield contents.value.response }
    }
    var text: Data {
        _read { yield contents.value.text }
    }
    var payload: Payload {
        _read { yield contents.value.payload }
        _modify { yield &contents.value.payload }
    }
    /// Whether the call failed: by its status, by what the envelope says, or because the body cannot be read. An error of a family is asked
    /// for either way.
    public internal(set) var isFailure: Bool {
        _read { yield contents.value.isFailure }
        _modify { yield &contents.value.isFailure }
    }
    /// The code of the envelope, if there is one.
    public var code: ErrorCode? {
        _read { yield contents.value.code }
        _modify { yield &contents.value.code }
    }
    /// The message of the envelope; "" if there is none.
    public var message: String {
        _read { yield contents.value.message }
        _modify { yield &contents.value.message }
    }
    /// The id by which the backend finds the call in its logs.
    public var traceID: String? {
        _read { yield contents.value.traceID }
        _modify { yield &contents.value.traceID }
    }
    /// The values at the places that ``Envelope/extras(_:)`` names, by place.
    public var extras: [String: JSON] {
        _read { yield contents.value.extras }
        _modify { yield &contents.value.extras }
    }
    var decoder: (any PayloadDecoder)? {
        _read { yield contents.value.decoder }
        _modify { yield &contents.value.decoder }
    }
    var hasDecoder: Bool { contents.value.hasDecoder }
    var isJSON: Bool {
        _read { yield contents.value.isJSON }
        _modify { yield &contents.value.isJSON }
    }
    var isPlaceMissing: Bool {
        _read { yield contents.value.isPlaceMissing }
        _modify { yield &contents.value.isPlaceMissing }
    }
    var isEmptyArrayObject: Bool {
        _read { yield contents.value.isEmptyArrayObject }
        _modify { yield &contents.value.isEmptyArrayObject }
    }
    var guess: PayloadGuess? {
        _read { yield contents.value.guess }
        _modify { yield &contents.value.guess }
    }
    var noteNoKeys: (@Sendable (Any.Type) -> Void)? {
        _read { yield contents.value.noteNoKeys }
        _modify { yield &contents.value.noteNoKeys }
    }
    var scanned: ScannedDocument? {
        _read { yield contents.value.scanned }
        _modify { yield &contents.value.scanned }
    }
    var payloadPlaces: [String] {
        _read { yield contents.value.payloadPlaces }
        _modify { yield &contents.value.payloadPlaces }
    }
    var failureLook: FailureLook? {
        _read { yield contents.value.failureLook }
        _modify { yield &contents.value.failureLook }
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
    /// The payload without members that are null.
    mutating func removeNulls() {
        guard !hasDecoder, let bytes = payloadBytes, let value = try? JSON(parsing: bytes) else { return }
        payload = .bytes(JSON(removingNulls: value).encoded)
        // A changed payload is no part of the text any more.
        guess = nil
    }
}

// MARK: What is wrong with a response

extension EnvelopeResult {
    func failure(_ kind: APIError.Kind, _ message: String, underlying: (any Error)? = nil) -> APIError {
        var error = APIError(kind, message: message, underlying: underlying)
        error.attach(response)
        return error
    }

    /// - Parameter fitsWhole: Whether the whole body is what the call needs.
    func missingPayload(_ type: Any.Type, fitsWhole: Bool = false) -> APIError {
        var what = payload == .empty ? "The response is empty" : "The response has no payload"
        if !payloadPlaces.isEmpty {
            what += " (it was looked for at " + payloadPlaces.map { "\"\($0)\"" }.joined(separator: ", ") + ")"
        }
        let advice = fitsWhole ? " The whole body would do: envelope.missingPayload(.body)." : ""
        return failure(.missingPayload, "\(what), but the call needs \(type).\(advice)")
    }

    /// The body, or what the envelope makes of it, is not JSON although it must be.
    func malformed(_ fault: JSONSyntaxError, as type: Any.Type, in bytes: Data) -> APIError {
        let isPropertyList = MediaType(response.headers["Content-Type"]).map { PayloadDecoders.propertyLists.contains($0.name) } ?? false
        let fault = BodyExcerpt.isText(response.headers["Content-Type"]) ? fault : fault.withoutExcerpt
        let advice = isPropertyList ? ". A property list is read where `accept` or `decoders` names its media type." : ""
        return failure(
            .decoding, "Cannot decode \(type): the response is \(fault). It begins: \(start(bytes))\(advice)", underlying: fault)
    }

    /// The first bytes without secrets, on one line.
    func start(_ bytes: Data) -> String {
        BodyExcerpt.start(of: bytes, contentType: response.headers["Content-Type"])
    }
}
