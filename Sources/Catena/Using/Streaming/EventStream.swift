import CatenaPlatform

/// The server-sent events of a response as they arrive.
///
/// When a connection ends, the stream reconnects with a `Last-Event-ID`, according to its ``Reconnection``. Each connection is a separate
/// run of the request, and all of them have one deadline. A response with status 204 ends the stream. Any other status than 200, or another type than
/// `text/event-stream`, throws. Leaving the loop closes the connection.
public struct EventStream: AsyncSequence, Sendable {
    public typealias Element = ServerSentEvent

    let request: Request
    let reconnection: Reconnection
    let limit: Int
    let unfinished: UnfinishedEvent
    /// The event that ends the stream, or `nil` if no event does.
    var sentinel: EventSentinel?

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Sends the request when the first event is requested, and again for each reconnection.
    public struct Iterator: AsyncIteratorProtocol {
        private let stream: EventStream
        private let request: Request
        private var parser: EventParser
        private(set) var run: CallRun?
        /// The moment from which the deadline counts, or `nil` before the first connection.
        private var start: Duration?
        /// The identity that made the first connection; all later connections use it.
        private var caller: CallIdentity?
        private(set) var streamed: StreamedResponse?
        private var pieces: StreamedResponse.Iterator?
        private var hasConnected = false
        /// The number of events received on all connections.
        private(set) var count = 0
        /// The number of consecutive connections that ended without an event.
        private var fruitless = 0
        private var isOver = false

        fileprivate init(_ stream: EventStream) {
            self.stream = stream
            request = stream.request.aged
            parser = EventParser(limit: stream.limit)
        }

        /// Returns the next event, or `nil` at the end. Connects or reconnects if necessary.
        public mutating func next() async throws -> ServerSentEvent? {
            // Most events have arrived together with an earlier one. An asynchronous call for each would take longer than its parsing.
            if !isOver, pieces != nil {
                do {
                    if let event = try parser.next() { return take(event) }
                } catch {
                    let failure = await tooLong ?? error
                    close()
                    throw failure
                }
            }
            return try await arriving()
        }

        /// Returns an event, or `nil` if it ends the stream.
        private mutating func take(_ event: ServerSentEvent) -> ServerSentEvent? {
            fruitless = 0
            if let sentinel = stream.sentinel, event.data == sentinel.data { return finish() }
            count += 1
            return event
        }

        /// Waits for the next event.
        private mutating func arriving() async throws -> ServerSentEvent? {
            do {
                while !isOver {
                    do {
                        if pieces == nil { try await connect() }
                        if let event = try await event() { return take(event) }
                        if isOver { return nil }
                        // Some servers close the connection before the empty line after their last event.
                        if let sentinel = stream.sentinel, hasConnected, parser.unfinishedEvent?.data == sentinel.data { return finish() }
                        if stream.unfinished == .deliver, let event = try await parsed({ try $0.finishEvent() }) {
                            fruitless = 0
                            count += 1
                            return event
                        }
                        if mayConnectAgain(after: nil) { try await waitForConnection(after: nil) } else { try await takeAsEnd() }
                    } catch let error as APIError where hasConnected && mayConnectAgain(after: error) {
                        if error.contents.isInactivity { fruitless = 0 }
                        try await waitForConnection(after: error)
                    }
                }
                return nil
            } catch {
                close()
                throw error
            }
        }

        /// Returns the next event that arrives over this connection, or `nil` when the connection has ended.
        private mutating func event() async throws -> ServerSentEvent? {
            while let piece = try await pieces?.next() {
                parser.append(piece)
                if let event = try await parsed({ try $0.next() }) { return event }
            }
            return nil
        }

        /// Returns an event of the parser. Ends the call if the event is too long, which is the only fault of events.
        private mutating func parsed(_ read: (inout EventParser) throws -> ServerSentEvent?) async throws -> ServerSentEvent? {
            do {
                return try read(&parser)
            } catch {
                throw await tooLong ?? error
            }
        }

        /// Ends the call because an event is too long, and returns the error, unless no response has arrived.
        private var tooLong: (any Error)? {
            get async { await streamed?.failure(.bodyTooLarge, "An event is longer than the \(stream.limit) bytes that are allowed.") }
        }

        private mutating func connect() async throws {
            var request = request
            if request.headerChanges.set["Accept"] == nil { request = request.header("Accept", "text/event-stream") }
            // An id that does not fit into a header comes from the server, so it must not fail the call.
            if !parser.lastEventID.isEmpty, parser.lastEventID.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
                request = request.header("Last-Event-ID", parser.lastEventID)
                request.resumingHeader = "Last-Event-ID"
            }
            if request.headerChanges.set["Cache-Control"] == nil { request = request.header("Cache-Control", "no-store") }
            if start != nil { request.origin = CallOrigin(caller: caller, deadlineStart: start) }
            let run = CallRun(request)
            (self.run, start) = (run, run.deadlineStart)
            let streamed = StreamedResponse(try await run.open())
            let sender = run.loopCaller ?? .nobody
            // Events for another token start without the last id, because the token may belong to another user.
            let isResumed = caller == nil || sender.token == caller?.token
            caller = sender
            guard streamed.status != 204 else {
                isOver = true
                return
            }
            if let fault = streamed.response.faultOfEventStream { throw try await refusal(streamed, fault, of: run) }
            hasConnected = true
            self.streamed = streamed
            parser = isResumed ? EventParser(after: parser) : EventParser(limit: stream.limit)
            pieces = streamed.makeAsyncIterator()
        }

        /// Returns the error for a response that is not an event stream: the failure in its envelope, if any, otherwise the fault.
        private func refusal(_ streamed: StreamedResponse, _ fault: String, of run: CallRun) async throws -> any Error {
            var whole = streamed.response
            do {
                if whole.status == 200 {
                    whole = try await streamed.collected(limit: APIError.bodyLimit, within: run.configuration.timeout)
                    _ = try Redaction.$ofCall.withValue(run.profile.redaction) { try EnvelopeReader(run, decoded: nil).read(whole) }
                }
            } catch let error as APIError where error.kind == .business {
                return await streamed.failure(error)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                // A body that is too long, too late or malformed describes no failure.
            }
            var error = APIError(.decoding, message: fault)
            error.attach(whole)
            return await streamed.failure(error)
        }

        private func mayConnectAgain(after error: APIError?) -> Bool {
            guard let run, run.method.isIdempotent, fruitless < stream.reconnection.limit else { return false }
            guard let error, !error.contents.isInactivity else { return true }
            // A deadline ends the stream.
            if case .call? = error.limit?.limit { return false }
            return Reconnection.helps(after: error)
        }

        private mutating func waitForConnection(after error: APIError?) async throws {
            stop()
            fruitless += 1
            guard let run else { return }
            var wait = stream.reconnection.wait(asked: parser.reconnectionTime)
            // Until the breaker lets a call through.
            if let error, error.kind == .circuitOpen, let pause = error.retryAfter, pause > wait { wait = pause }
            // The wait belongs to the call, so that the deadline and cancelling the call also end it.
            try await run.pause(for: wait)
        }

        /// Ends the stream at the sentinel, which is complete although the connection may stay open.
        private mutating func finish() -> ServerSentEvent? {
            streamed?.finish()
            close()
            return nil
        }

        /// Ends the stream at the end of the last connection. Throws if the sentinel or the end of the last event is missing.
        private mutating func takeAsEnd() async throws {
            let unfinished = stream.unfinished == .fail ? try await parsed { try $0.finishEvent() } : parser.unfinishedEvent
            if let run, let streamed {
                let error = Redaction.$ofCall.withValue(run.profile.redaction) { fault(of: unfinished, in: streamed.response) }
                if let error { throw await streamed.failure(error) }
            }
            isOver = true
        }

        /// Returns the error of a stream that ends too early, or `nil` if its end is correct. The body of the error is the unfinished event.
        private func fault(of unfinished: ServerSentEvent?, in response: HTTPResponse) -> APIError? {
            let sentinel = stream.sentinel.flatMap { $0.isRequired ? Redaction.current.line($0.data) : nil }
            let part = unfinished.flatMap { $0.isBlank ? nil : response.part(Data($0.data.utf8)) }
            guard sentinel != nil || (part != nil && stream.unfinished == .fail) else { return nil }
            var message = "The events have ended"
            if let sentinel { message += " without \"\(sentinel)\"" }
            if let part {
                message += (sentinel == nil ? "" : " and") + " within event \(count + 1), which lacks its empty line; "
                message += "unfinished: .deliver gives it. It begins: \(BodyExcerpt.start(of: part.body, contentType: nil))"
            } else {
                message += "."
            }
            var error = APIError(.connectionLost, message: message)
            error.attach(part ?? response)
            return error
        }

        /// Ends the stream with an error that its reader found in the last event. Returns the error as the call reports it.
        mutating func failure(_ error: APIError) async -> any Error {
            let failure = await streamed?.failure(error)
            close()
            return failure ?? error
        }

        /// Ends the stream.
        private mutating func close() {
            isOver = true
            stop()
        }

        /// Stops the transfer.
        private mutating func stop() {
            streamed = nil
            pieces = nil
        }
    }
}

extension HTTPResponse {
    /// The reason why the response is not an event stream, or `nil` if it is one.
    fileprivate var faultOfEventStream: String? {
        guard status == 200 else { return "An event stream comes with status 200, not \(status)." }
        let type = headers["Content-Type"]?.prefix { $0 != ";" }.trimmed().lowercased() ?? ""
        let found = Redaction.current.line(type)
        return type == "text/event-stream" ? nil : "The response is no event stream (text/event-stream) but \"\(found)\"."
    }
}

/// The rules by which an event stream reconnects. When reconnecting, it sends the server the id of the last event.
///
/// ```swift
/// API.get("/feed").events(reconnecting: .after(.seconds(1), limit: 10))
/// ```
public struct Reconnection: Sendable, Equatable {
    /// The wait before reconnecting. The server may request another one, which is limited to a range from half a second to an hour.
    public var wait: Duration
    /// The maximum number of consecutive connections without an event. A connection that ends at the idle limit of its call does not count,
    /// because a server may have nothing to send.
    public var limit: Int

    /// The range to which the server's wait is limited. A shorter wait would flood the server with connections, and a longer one would stop
    /// its clients.
    static let allowedWaits = Duration.milliseconds(500) ... .seconds(3600)

    /// Does not reconnect: the stream ends with its connection.
    public static let never = Reconnection(wait: .zero, limit: 0)

    /// Reconnects like browsers.
    public static let standard = after(.seconds(3), limit: 3)

    /// Reconnects after a wait.
    ///
    /// - Parameters:
    ///   - wait: The wait, unless the server requests another one.
    ///   - limit: The maximum number of consecutive connections without an event.
    public static func after(_ wait: Duration, limit: Int) -> Reconnection {
        Reconnection(wait: wait, limit: limit)
    }

    /// Returns the wait before reconnecting, given the wait that the server requests, or `nil` if it requests none.
    func wait(asked: Duration?) -> Duration {
        asked.map { min(max($0, Self.allowedWaits.lowerBound), Self.allowedWaits.upperBound) } ?? wait
    }

    /// Returns whether another connection may succeed after this failure.
    static func helps(after error: APIError) -> Bool {
        // An open breaker stands for the failures that opened it.
        [.connectionLost, .offline, .dns, .connect, .timeout, .circuitOpen].contains(error.kind)
    }
}

/// The treatment of an event that a connection ends before the empty line that would complete it.
///
/// A connection that breaks is a failure in any case, and its last event is discarded.
public enum UnfinishedEvent: Sendable {
    /// Ends the stream with an error of kind ``APIError/Kind/connectionLost`` whose ``APIError/body`` is the data of the event. If the stream
    /// reconnects, the event is discarded.
    case fail
    /// Delivers the event, as if the empty line followed.
    case deliver
    /// Discards the event, as the WHATWG specifies.
    case discard
}

/// The event with which a server ends a stream.
struct EventSentinel: Sendable {
    let data: String
    /// Whether a stream without this event is incomplete.
    let isRequired: Bool

    /// The end of the streams of chat services. It is no JSON, so that no value is lost.
    static let usual = EventSentinel(data: "[DONE]", isRequired: false)

    /// Returns the sentinel that the caller gives, or the usual one for `nil`.
    static func given(_ data: String?) -> EventSentinel { data.map { EventSentinel(data: $0, isRequired: true) } ?? .usual }
}
