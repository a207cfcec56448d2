import Foundation

/// The values decoded from the data of server-sent events, as they arrive. See
/// ``Request/events(as:until:unfinished:reconnecting:limit:)``.
///
/// Events without data, or with only white space, are skipped. An event in which the tag's envelope finds a failure throws this failure. An
/// event that cannot be decoded throws an error that names the event. Otherwise this behaves like an ``EventStream``.
public struct EventValues<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value

    let events: EventStream

    public func makeAsyncIterator() -> Iterator { Iterator(events.makeAsyncIterator()) }

    /// Sends the request when the first value is requested, then decodes event by event.
    public struct Iterator: AsyncIteratorProtocol {
        private var events: EventStream.Iterator
        /// The decoder for the events of a connection.
        private var decoder: (connection: UInt64, decoder: PartDecoder<Value>)?

        fileprivate init(_ events: EventStream.Iterator) {
            self.events = events
        }

        /// Returns the next value, or `nil` at the end. Throws if its event is a failure or cannot be decoded.
        public mutating func next() async throws -> Value? {
            while let event = try await events.next(), let run = events.run, let streamed = events.streamed {
                if event.isBlank { continue }
                do {
                    return try decoder(of: run).value(
                        of: Data(event.data.utf8), named: name(of: event, in: run), in: streamed.response)
                } catch {
                    throw await events.failure(error)
                }
            }
            return nil
        }

        private mutating func decoder(of run: CallRun) -> PartDecoder<Value> {
            if let decoder, decoder.connection == run.id { return decoder.decoder }
            let made = PartDecoder<Value>(readingEnvelopesOf: run)
            decoder = (run.id, made)
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
