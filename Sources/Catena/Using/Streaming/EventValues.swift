import CatenaPlatform

/// The values decoded from the data of server-sent events, as they arrive. See
/// ``Request/events(as:named:until:unfinished:reconnecting:limit:)`` and ``Request/events(named:until:unfinished:reconnecting:limit:)``.
///
/// Events without data, or with only white space, are skipped. An event in which the tag's envelope finds a failure throws this failure. An
/// event that cannot be decoded throws an error that names the event. Otherwise this behaves like an ``EventStream``.
public struct EventValues<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value

    let events: EventStream
    /// Returns the decoders of the events of a connection.
    let decoders: @Sendable (CallRun) -> EventDecoders<Value>

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Sends the request when the first value is requested, then decodes event by event.
    public struct Iterator: AsyncIteratorProtocol {
        private var events: EventStream.Iterator
        private let makeDecoders: @Sendable (CallRun) -> EventDecoders<Value>
        /// The decoders of the events of a connection.
        private var decoders: (connection: UInt64, decoders: EventDecoders<Value>)?

        fileprivate init(_ values: EventValues) {
            events = values.events.makeAsyncIterator()
            makeDecoders = values.decoders
        }

        /// Returns the next value, or `nil` at the end. Throws if its event is a failure or cannot be decoded.
        public mutating func next() async throws -> Value? {
            while let event = try await events.next(), let run = events.run, let streamed = events.streamed {
                if event.isBlank { continue }
                do {
                    let value = try decoders(of: run).value(of: event, { name(of: event, in: run) }, in: streamed.response)
                    if let value { return value }
                } catch {
                    throw await events.failure(error)
                }
            }
            return nil
        }

        private mutating func decoders(of run: CallRun) -> EventDecoders<Value> {
            if let decoders, decoders.connection == run.id { return decoders.decoders }
            let made = makeDecoders(run)
            decoders = (run.id, made)
            return made
        }

        /// Returns the name of an event in errors: `Event 3`, or `Event 3 (delta)` if the server names it.
        private func name(of event: ServerSentEvent, in run: CallRun) -> String {
            guard event.event != EventParser.usualType else { return "Event \(events.count)" }
            let redaction = run.profile.redaction
            return "Event \(events.count) (\(redaction.line(String(event.event.prefix(Self.longestName)))))"
        }

        /// The number of characters of an event's name that errors show.
        private static var longestName: Int { 64 }
    }
}

/// The decoders of the events of one connection.
struct EventDecoders<Value: Sendable>: Sendable {
    typealias Decoder = @Sendable (_ part: Data, _ name: () -> String, _ response: HTTPResponse) throws(APIError) -> Value

    private let run: CallRun
    /// The decoder of all events, or `nil` if their names decide.
    private let all: Decoder?
    private let named: [String: Decoder]

    init(_ run: CallRun, all: Decoder? = nil, named: [String: Decoder] = [:]) {
        (self.run, self.all, self.named) = (run, all, named)
    }

    /// Returns the value of an event, or `nil` if no decoder has its name.
    ///
    /// - Parameter name: Returns the name of the event in errors.
    func value(of event: ServerSentEvent, _ name: () -> String, in response: HTTPResponse) throws(APIError) -> Value? {
        let part = Data(event.data.utf8)
        if let decoder = all ?? named[event.event] { return try decoder(part, name, response) }
        try run.checkSkipped(response.part(part))
        return nil
    }
}

extension CallRun {
    /// Returns the decoder of events that the call's envelope reads.
    func eventDecoder<Value: Decodable & Sendable, Element>(
        of type: Value.Type, as change: @escaping @Sendable (Value) -> Element
    ) -> EventDecoders<Element>.Decoder {
        let decoder = PartDecoder<Value>(readingEnvelopesOf: self)
        return { part, name, response throws(APIError) in change(try decoder.value(of: part, named: name(), in: response)) }
    }

    /// Throws the failure that the envelope finds in an event that is not decoded.
    fileprivate func checkSkipped(_ part: HTTPResponse) throws(APIError) {
        var reader = EnvelopeReader(self, decoded: nil)
        // The accepted types are those of the whole response.
        reader.acceptedTypes = nil
        do {
            _ = try Redaction.$ofCall.withValue(profile.redaction) { try reader.read(part) }
        } catch {
            // An event of another name may be no JSON.
            if let error = error as? APIError, error.kind == .business { throw error }
        }
    }
}
