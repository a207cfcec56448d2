import CatenaPlatform

/// Decodes the parts of a response one by one, in the same way as its call decodes a whole response.
struct PartDecoder<Value: Decodable & Sendable>: Sendable {
    private let redaction: Redaction
    private let decoder: any PayloadDecoder
    private let target = ResultDecoder<Value>.decodable(Value.self)
    /// The call and the reader of the envelopes of its parts, or `nil` if parts have no envelope.
    private var envelope: (run: CallRun, reader: EnvelopeReader)?

    /// Makes the decoder of parts without an envelope.
    init(_ run: CallRun) {
        redaction = run.profile.redaction
        decoder = run.decoder
    }

    /// Makes the decoder of parts that the call's envelope reads.
    init(readingEnvelopesOf run: CallRun) {
        self.init(run)
        var reader = EnvelopeReader(run, decoded: target.decoded)
        // The accepted types are those of the whole response.
        reader.acceptedTypes = nil
        // The parts of a stream have different members, so a type for all of them may find none in some.
        reader.noteNoKeys = nil
        // A dynamic value stays whole, because the members beside a payload name the kind of the part.
        reader.keepsWhole = target.decoded == JSON.self
        envelope = (run, reader)
    }

    /// Returns the value of a part, which is UTF-8 JSON whatever the type of the response.
    ///
    /// - Parameter name: The name of the part in errors. The message of a failure that the envelope finds is that of the backend alone.
    func value(of part: Data, named name: @autoclosure () -> String, in response: HTTPResponse) throws(APIError) -> Value {
        do {
            return try Redaction.$ofCall.withValue(redaction) { try value(of: response.part(part)) }
        } catch {
            var error = APIError.wrapping(error)
            if error.kind == .decoding || error.kind == .missingPayload { error.message = "\(name()): \(error.message)" }
            throw error
        }
    }

    private func value(of part: HTTPResponse) throws -> Value {
        guard let (run, reader) = envelope else { return try target.value(EnvelopeResult(part)) { decoder } }
        let reading = try run.read(part, by: reader)
        do {
            return try target.value(reading) { decoder }
        } catch {
            throw run.refusal(of: reading, as: target.decoded, error)
        }
    }
}

extension HTTPResponse {
    /// Returns the response with one of its parts, which is UTF-8 JSON, as the body.
    func part(_ bytes: Data) -> HTTPResponse {
        var part = self
        part.body = bytes
        part.headers.remove("Content-Type")
        part.assumedCharset = nil
        return part
    }
}
