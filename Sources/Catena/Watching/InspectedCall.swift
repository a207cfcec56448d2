import CatenaPlatform

/// Receives events of running calls. The call invokes it synchronously, so implementations must return quickly.
package protocol CallWatcher: AnyObject, Sendable {
    /// A call has begun.
    func began(_ inspected: InspectedCall)
    /// A call has ended; nothing is recorded of it afterwards.
    func ended(_ inspected: InspectedCall)
}

/// The record of one running call, which exists only if a watcher is active.
///
/// The call writes it and watchers read it. Copying, redaction and wording wait until a watcher reads.
package final class InspectedCall: Sendable {
    struct State: Sendable {
        var contents = Contents()
        var hasBegun = false
    }

    package let tag: Tag?
    /// The number of the run. The calls of a poll share a task, and each has its own number.
    package let callID: UInt64
    private let configuration: Box<CallConfiguration>
    package let redaction: Redaction
    /// The start of the call by the clock of the client, as all times of a trace.
    package let start: Duration
    let watchers: [any CallWatcher]
    let state = Mutex(State())

    init(
        _ tag: Tag?, callID: UInt64, start: Duration, _ configuration: Box<CallConfiguration>, hiding redaction: Redaction,
        for watchers: [any CallWatcher]
    ) {
        self.tag = tag
        self.callID = callID
        self.start = start
        self.configuration = configuration
        self.redaction = redaction
        self.watchers = watchers
    }

    /// The envelope by which the responses of the call are read.
    package var envelope: Envelope { configuration.value.envelope }

    /// A copy of the current contents.
    package var contents: Contents { state.withLock { $0.contents } }

    /// The number of changes, for readers that poll.
    package var revision: Int { state.withLock { $0.contents.revision } }

    package var isOver: Bool { state.withLock { $0.contents.end != nil } }

    /// Explains how a response to the call is read, as the type that it decodes requires. Hides what the tag hides.
    package func explanation(of response: HTTPResponse) -> String {
        let fit = EnvelopeReader.fit(by: configuration.value.decoding.decoder(configuration.value.decoder))
        let contents = contents
        // A transformation of the payload may need the request of the response.
        let request = contents.latest?.request ?? contents.request
        return Redaction.$ofCall.withValue(redaction) {
            envelope.explain(response, as: contents.type ?? JSON.self, fit: fit, request: { request })
        }
    }

    /// Changes the contents, for instance to remove bodies.
    package func change<Result: Sendable>(_ change: @Sendable (inout Contents) -> Result) -> Result {
        state.withLock { state in
            state.contents.revision += 1
            return change(&state.contents)
        }
    }
}

extension InspectedCall {
    /// The contents of a trace. Optimized for calls with one attempt and no notes, which are the most frequent.
    package struct Contents: Sendable {
        package internal(set) var revision = 0
        /// The request as assembled, before credential and signature.
        package var request: HTTPRequest?
        /// All attempts but the latest; of a long series, the first and the last ones. `nil` if there are none, because an empty array costs
        /// more to store and to free.
        var earlier: [Attempt]?
        package internal(set) var latest: Attempt?
        package internal(set) var attemptCount = 0
        package internal(set) var end: End?
        /// The code of the envelope that was read last, if it had one.
        package internal(set) var code: ErrorCode?
        /// The type that the call decodes; `nil` if it decodes none.
        package internal(set) var type: Any.Type?
        private var notes: CopyOnWrite<Notes>?
        /// Whether the bodies have been removed.
        package var isWithoutBodies = false

        package var attempts: [Attempt] { latest.map { (earlier ?? []) + [$0] } ?? [] }
    }

    /// Details that most calls do not have, stored separately to keep a trace small.
    struct Notes: Sendable {
        var made: Duration?
        var described: RequestSummary?
        var spans: [Span] = []
        var decisions: [Decision] = []
        var effects: [String] = []
        var isShared = false
        var isStream = false
        var sent: Int64 = 0
        var received: Int64 = 0
        var expected: Int64?
    }

    /// One attempt of a call, or a response that replaced it.
    package struct Attempt: Sendable {
        package let number: Int
        package let start: Duration
        /// The time at which the response had arrived or the attempt had failed.
        package internal(set) var end: Duration?
        package var request: HTTPRequest
        /// The size of the body of the request, if the body has been cut.
        package var requestSize: Int?
        /// The redirect responses, or `nil` if there were none.
        package var redirects: [HTTPResponse]?
        /// The final response. A failed attempt may have one, too.
        package var response: HTTPResponse?
        /// The size of the body of the response, if the body has been cut.
        package var responseSize: Int?
        package internal(set) var failure: (any Error)?

        init(number: Int, start: Duration, request: HTTPRequest) {
            (self.number, self.start, self.request) = (number, start, request)
        }

        mutating func change(_ change: (inout Attempt) -> Void) { change(&self) }

        /// Creates an entry for a response that was not sent for, such as a cached one.
        package init(inPlaceOfOne request: HTTPRequest, from start: Duration, to end: Duration, _ response: HTTPResponse) {
            self.init(number: 1, start: start, request: request)
            (self.end, self.response) = (end, response)
        }
    }

    /// The time that a stage, or another part of the call, took.
    package struct Span: Sendable {
        package let name: String
        package let start: Duration
        package let end: Duration

        package init(_ name: String, from start: Duration, to end: Duration) {
            (self.name, self.start, self.end) = (name, start, end)
        }
    }

    /// A decision of a part of Catena about the call, and its reason.
    package struct Decision: Sendable {
        package let part: String
        package let words: String
    }

    /// The end of the call.
    package struct End: Sendable {
        package let time: Duration
        package var result: Result<HTTPResponse, any Error>
    }
}

extension InspectedCall.Contents {
    /// The time at which the request was assembled, if stages followed.
    package var made: Duration? { notes?.value.made }
    /// The request as its steps describe it, if it took time to assemble.
    package var described: RequestSummary? { notes?.value.described }
    package var spans: [InspectedCall.Span] { notes?.value.spans ?? [] }
    package var decisions: [InspectedCall.Decision] { notes?.value.decisions ?? [] }
    /// The names of the effects that an inspector has on the call.
    package var effects: [String] { notes?.value.effects ?? [] }
    /// Whether the call shares the response of another one.
    package var isShared: Bool { notes?.value.isShared ?? false }
    /// The number of bytes of the request's body that have been sent, if it is sent piece by piece.
    package var sent: Int64 { notes?.value.sent ?? 0 }
    /// The number of bytes of the response's body that have arrived, if it arrives piece by piece.
    package var received: Int64 { notes?.value.received ?? 0 }
    package var expected: Int64? { notes?.value.expected }
    /// Whether the body of the response was delivered piece by piece, so that the trace lacks it.
    package var isPassedOn: Bool { received > 0 && latest?.responseSize == nil && latest?.response?.body.isEmpty != false }

    var isStream: Bool { notes?.value.isStream ?? false }

    var noteSize: Int { notes == nil ? 0 : 256 + spans.count * 64 + decisions.count * 256 }

    mutating func note(_ change: (inout InspectedCall.Notes) -> Void) {
        var notes = self.notes.take() ?? CopyOnWrite(InspectedCall.Notes())
        change(&notes.value)
        self.notes = notes
    }

    /// Moves an attempt to the earlier ones. Returns the attempts removed for it, which the caller frees after unlocking.
    mutating func pass(_ attempt: InspectedCall.Attempt, most: Int) -> [InspectedCall.Attempt]? {
        var earlier = self.earlier.take() ?? []
        earlier.append(attempt)
        let former = earlier.count < most ? nil : [earlier.remove(at: most / 2)]
        self.earlier = earlier
        // The next attempt counts its bytes from 0.
        if notes != nil { note { ($0.sent, $0.received, $0.expected) = (0, 0, nil) } }
        return former
    }

    /// Adds the body to a response that was recorded when only its head had arrived.
    mutating func complete(with result: Result<HTTPResponse, any Error>) {
        guard notes != nil, isPassedOn, let head = latest?.response else { return }
        let body: Data? =
            switch result {
            case .success(let response): response.status == head.status ? response.body : nil
            case .failure(let error): (error as? APIError)?.body
            }
        if let body { latest?.response?.body = body }
    }

    /// Changes the attempt with a number, which is nearly always the latest.
    mutating func change(_ number: Int, _ change: (inout InspectedCall.Attempt) -> Void) {
        if latest?.number == number {
            latest?.change(change)
        } else if let index = earlier?.lastIndex(where: { $0.number == number }) {
            earlier?[index].change(change)
        }
    }
}
