import Foundation

/// The server-sent events of a response as they arrive.
///
/// When the connection ends it is made anew, with a `Last-Event-ID`, as the ``Reconnection`` says; each connection is a run of the request
/// with a deadline of its own. The events end when the server answers with status 204. A response with another status than 200, or of
/// another type than `text/event-stream`, throws. Leaving the loop closes the connection.
public struct EventStream: AsyncSequence, Sendable {
    public typealias Element = ServerSentEvent

    let request: Request
    let reconnection: Reconnection
    let limit: Int
    /// The data of the event that ends them all; `nil` if none does.
    var sentinel: String?

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Sends the request with the first event that is asked for, and again whenever the stream connects anew.
    public struct Iterator: AsyncIteratorProtocol {
        private let stream: EventStream
        private var parser: EventParser
        private(set) var execution: Execution?
        /// In whose name the first connection was made, and with it all.
        private var caller: CallIdentity?
        private(set) var answer: StreamedResponse?
        private var pieces: StreamedResponse.Iterator?
        private var hasConnected = false
        /// How many events have come, on all connections.
        private(set) var count = 0
        /// How many connections in a row have ended without an event.
        private var fruitless = 0
        private var isOver = false

        fileprivate init(_ stream: EventStream) {
            self.stream = stream
            parser = EventParser(limit: stream.limit)
        }

        /// Returns the next event, or `nil` at the end; connects first, or again, where that is needed.
        public mutating func next() async throws -> ServerSentEvent? {
            do {
                while !isOver {
                    do {
                        if pieces == nil { try await connect() }
                        if let event = try await event() {
                            fruitless = 0
                            guard event.data != stream.sentinel else { return finish() }
                            count += 1
                            return event
                        }
                        if isOver { return nil }
                        // Some servers close the connection before the empty line behind their last event.
                        if let sentinel = stream.sentinel, hasConnected, parser.unfinishedEvent?.data == sentinel { return finish() }
                        if mayConnectAgain(after: nil) { try await waitForConnection() } else { try await takeAsEnd() }
                    } catch let error as APIError where hasConnected && mayConnectAgain(after: error) {
                        if error.isSilence { fruitless = 0 }
                        try await waitForConnection()
                    }
                }
                return nil
            } catch {
                isOver = true
                end()
                throw error
            }
        }

        /// The next event of this connection; `nil` when it has ended.
        private mutating func event() async throws -> ServerSentEvent? {
            while !isOver {
                do {
                    if let event = try parser.next() { return event }
                } catch {
                    // The only fault of an event is its length.
                    throw await answer?.failure(.bodyTooLarge, "An event is longer than the \(stream.limit) bytes that are allowed.")
                        ?? error
                }
                guard let piece = try await pieces?.next() else { return nil }
                parser.append(piece)
            }
            return nil
        }

        private mutating func connect() async throws {
            var request = stream.request
            if request.headerChanges.set["Accept"] == nil { request = request.header("Accept", "text/event-stream") }
            // An id that no header can carry is the server's affair, not the caller's.
            if !parser.lastEventID.isEmpty, parser.lastEventID.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
                request = request.header("Last-Event-ID", parser.lastEventID)
                request.resumingHeader = "Last-Event-ID"
            }
            if request.headerChanges.set["Cache-Control"] == nil { request = request.header("Cache-Control", "no-store") }
            let execution = Execution(request, for: caller)
            self.execution = execution
            let answer = StreamedResponse(try await execution.open())
            let sender = try execution.log.sender ?? execution.identity()
            // Another token's events begin anew: it may be another user's.
            let isResumed = caller == nil || sender.token == caller?.token
            caller = sender
            guard answer.status != 204 else {
                isOver = true
                return
            }
            if let fault = answer.response.faultOfEventStream { throw try await refusal(answer, fault, of: execution) }
            hasConnected = true
            self.answer = answer
            parser = isResumed ? EventParser(after: parser) : EventParser(limit: stream.limit)
            pieces = answer.makeAsyncIterator()
        }

        /// Why a response is refused that is no event stream: what its envelope says, if that is a failure, else what it is instead.
        private func refusal(_ answer: StreamedResponse, _ fault: String, of execution: Execution) async throws -> any Error {
            var whole = answer.response
            do {
                if whole.status == 200 {
                    whole = try await answer.collected(limit: APIError.bodyLimit, within: execution.settings.timeout)
                    try execution.withRedaction { _ = try EnvelopeReader(execution, decoded: nil).read(whole) }
                }
            } catch let error as APIError where error.kind == .business {
                return await answer.failure(error)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                // Too long, too late or too strange to be words of a failure.
            }
            var error = APIError(.decoding, message: fault)
            error.attach(whole)
            return await answer.failure(error)
        }

        private func mayConnectAgain(after error: APIError?) -> Bool {
            guard let execution, execution.method.isIdempotent, fruitless < stream.reconnection.limit else { return false }
            guard let error, !error.isSilence else { return true }
            // A deadline is the end of all.
            return Reconnection.helps(after: error) && (error.kind != .timeout || execution.settings.deadline == nil)
        }

        private mutating func waitForConnection() async throws {
            end()
            fruitless += 1
            guard let execution else { return }
            let wait = stream.reconnection.wait(asked: parser.reconnectionTime)
            // The wait belongs to the call: who cancels that does not have to hit upon a connection.
            try await execution.promise { try await execution.client.clock.sleep(for: wait) }.value
        }

        /// The sentinel has come: the server has said all, and need not end the connection.
        private mutating func finish() -> ServerSentEvent? {
            isOver = true
            answer?.finish()
            end()
            return nil
        }

        /// The connection has ended for good. Where a sentinel is to come that means that something is missing.
        private mutating func takeAsEnd() async throws {
            if let sentinel = stream.sentinel, let answer {
                let sentinel = Redaction.current.line(sentinel)
                throw await answer.failure(.connectionLost, "The events have ended without \"\(sentinel)\".")
            }
            isOver = true
        }

        /// Ends the events with an error that their reader has found in the last one. Gives the error as it leaves the call.
        mutating func failure(_ error: APIError) async -> any Error {
            let failure = await answer?.failure(error)
            isOver = true
            end()
            return failure ?? error
        }

        /// Stops the transfer.
        private mutating func end() {
            answer = nil
            pieces = nil
        }
    }
}

extension HTTPResponse {
    /// Why the response is no event stream; `nil` if it is one.
    fileprivate var faultOfEventStream: String? {
        guard status == 200 else { return "An event stream comes with status 200, not \(status)." }
        let type = headers["Content-Type"]?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
        return type == "text/event-stream" ? nil : "The response is no event stream but \"\(Redaction.current.line(type))\"."
    }
}

/// Whether and when an event stream reconnects after its connection has ended. The server then learns which event came last.
///
/// ```swift
/// API.get("/feed").events(reconnecting: .after(.seconds(1), limit: 10))
/// ```
public struct Reconnection: Sendable, Equatable {
    /// How long to wait, unless the server says something else: from half a second to an hour.
    public var wait: Duration
    /// How many connections in a row may end without an event. One that ends because nothing has arrived for the idle limit of its call is
    /// not counted: a server need not have anything to say.
    public var limit: Int

    /// What a server may ask for. Less would be a way to have its clients connect as fast as they can, and more one to get rid of them.
    static let allowedWaits = Duration.milliseconds(500) ... .seconds(3600)

    /// The end of the connection is the end of the events.
    public static let never = Reconnection(wait: .zero, limit: 0)

    /// As browsers do it.
    public static let standard = after(.seconds(3), limit: 3)

    /// Connects anew after a wait.
    ///
    /// - Parameters:
    ///   - wait: How long to wait, unless the server asks for another time.
    ///   - limit: How many connections in a row may end without an event.
    public static func after(_ wait: Duration, limit: Int) -> Reconnection {
        Reconnection(wait: wait, limit: limit)
    }

    /// How long to wait when the server has asked for so long; `nil` if it has not.
    func wait(asked: Duration?) -> Duration {
        asked.map { min(max($0, Self.allowedWaits.lowerBound), Self.allowedWaits.upperBound) } ?? wait
    }

    /// Whether the failure of a connection is one that another connection may not have.
    static func helps(after error: APIError) -> Bool {
        [.connectionLost, .offline, .dns, .connect, .timeout].contains(error.kind)
    }
}
