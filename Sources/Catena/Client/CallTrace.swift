import Foundation

/// Who watches the calls of a client while they run. It is told in the way of each call, so it only takes note.
package protocol CallWatcher: AnyObject, Sendable {
    /// A call has begun.
    func began(_ trace: CallTrace)
    /// A call is over; nothing is noted of it any more.
    func ended(_ trace: CallTrace)
}

/// What is noted of one call while it runs, for those who watch. Where nobody does, there is none.
///
/// The call writes it, others read it. Nothing is copied, hidden or put into words before somebody looks.
package final class CallTrace: Sendable {
    struct State: Sendable {
        var contents = Contents()
        var hasBegun = false
    }

    private let task: CallTask
    private let profile: ResolvedProfile
    private let ownEnvelope: Envelope?
    /// By the clock of the client, as all times here.
    package let start: Duration
    let watchers: [any CallWatcher]
    let state = Mutex(State())

    /// - Parameter ownEnvelope: That of the call, if it is not its tag's.
    init(_ task: CallTask, start: Duration, _ profile: ResolvedProfile, _ ownEnvelope: Envelope?, for watchers: [any CallWatcher]) {
        self.task = task
        self.start = start
        self.profile = profile
        self.ownEnvelope = ownEnvelope
        self.watchers = watchers
    }

    /// Tells calls apart.
    package var callID: UInt64 { task.callID }
    package var tag: Tag? { task.tag }
    /// How the responses of the call are read.
    package var envelope: Envelope { ownEnvelope ?? profile.settings.envelope }
    /// What the tag hides; `nil` if it is what all hide.
    package var redaction: Redaction { profile.redaction }
    /// Decodes payloads as the tag says.
    var decoder: any PayloadDecoder { profile.settings.decoding.decoder(profile.decoder) }

    /// What is known of the call now.
    package var contents: Contents { state.withLock { $0.contents } }

    /// Counts the changes, for those who look again and again.
    package var revision: Int { state.withLock { $0.contents.revision } }

    package var isOver: Bool { state.withLock { $0.contents.end != nil } }

    /// Changes what is known of the call, such as to let go of bodies.
    package func change<Result: Sendable>(_ change: @Sendable (inout Contents) -> Result) -> Result {
        state.withLock { state in
            state.contents.revision += 1
            return change(&state.contents)
        }
    }
}

extension CallTrace {
    /// What is known of a call. Most calls have one attempt, and nothing out of the way: so that is what costs least.
    package struct Contents: Sendable {
        package internal(set) var revision = 0
        /// The request as it was made, before sign-in and signature.
        package var request: HTTPRequest?
        /// The attempts but for the last one: the first and the latest, if there have been very many. `nil` if there are none: to keep an empty
        /// array and to let go of it costs more.
        var earlier: [Attempt]?
        package internal(set) var latest: Attempt?
        package internal(set) var attemptCount = 0
        package internal(set) var end: End?
        /// The code of the envelope that was read last, if it had one.
        package internal(set) var code: ErrorCode?
        /// The type that the call decodes; `nil` if it decodes none.
        package internal(set) var type: Any.Type?
        private var notes: CopyOnWrite<Notes>?
        /// Whether bodies have been let go.
        package var isWithoutBodies = false

        package var attempts: [Attempt] { latest.map { (earlier ?? []) + [$0] } ?? [] }
    }

    /// What is noted of few calls.
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

    /// One sending of the request, or what took its place.
    package struct Attempt: Sendable {
        package let number: Int
        package let start: Duration
        /// When its response had come, or it had failed.
        package internal(set) var end: Duration?
        package var request: HTTPRequest
        /// How long the body of the request was, if it is not there any more.
        package var requestSize: Int?
        /// The responses that led elsewhere, if any did.
        package var redirects: [HTTPResponse]?
        /// The response that counts; a failure may have one, too.
        package var response: HTTPResponse?
        /// How long the body of the response was, if it is not there any more.
        package var responseSize: Int?
        package internal(set) var failure: (any Error)?

        init(number: Int, start: Duration, request: HTTPRequest) {
            (self.number, self.start, self.request) = (number, start, request)
        }

        mutating func change(_ change: (inout Attempt) -> Void) { change(&self) }

        /// What came in place of an attempt, such as a response that was kept.
        package init(inPlaceOfOne request: HTTPRequest, from start: Duration, to end: Duration, _ response: HTTPResponse) {
            self.init(number: 1, start: start, request: request)
            (self.end, self.response) = (end, response)
        }
    }

    /// What a stage, or a part of the call, was at work for.
    package struct Span: Sendable {
        package let name: String
        package let start: Duration
        package let end: Duration

        package init(_ name: String, from start: Duration, to end: Duration) {
            (self.name, self.start, self.end) = (name, start, end)
        }
    }

    /// What a part of Catena has decided about the call, and why.
    package struct Decision: Sendable {
        package let part: String
        package let words: String
    }

    /// How the call has ended.
    package struct End: Sendable {
        package let time: Duration
        package var result: Result<HTTPResponse, any Error>
    }
}

extension CallTrace.Contents {
    /// When the request had been made, if stages came then.
    package var made: Duration? { notes?.value.made }
    /// What the steps of the request say, if it took time to make it.
    package var described: RequestSummary? { notes?.value.described }
    package var spans: [CallTrace.Span] { notes?.value.spans ?? [] }
    package var decisions: [CallTrace.Decision] { notes?.value.decisions ?? [] }
    /// The names of what an inspector does to the call.
    package var effects: [String] { notes?.value.effects ?? [] }
    /// Whether the call has the response of another one.
    package var isShared: Bool { notes?.value.isShared ?? false }
    /// How much of the body of the request has been sent, where it goes piece by piece.
    package var sent: Int64 { notes?.value.sent ?? 0 }
    /// How much of the body of the response has come, where it comes piece by piece, and of how much.
    package var received: Int64 { notes?.value.received ?? 0 }
    package var expected: Int64? { notes?.value.expected }
    /// Whether the body of the response went elsewhere while it came.
    package var isPassedOn: Bool { received > 0 && latest?.responseSize == nil && latest?.response?.body.isEmpty != false }

    var isStream: Bool { notes?.value.isStream ?? false }

    var noteSize: Int { notes == nil ? 0 : 256 + spans.count * 64 + decisions.count * 256 }

    mutating func note(_ change: (inout CallTrace.Notes) -> Void) {
        var notes = self.notes.take() ?? CopyOnWrite(CallTrace.Notes())
        change(&notes.value)
        self.notes = notes
    }

    /// Puts an attempt with those that are over. Gives those that have to go for it, to be freed behind the lock.
    mutating func pass(_ attempt: CallTrace.Attempt, most: Int) -> [CallTrace.Attempt]? {
        var earlier = self.earlier.take() ?? []
        earlier.append(attempt)
        let former = earlier.count < most ? nil : [earlier.remove(at: most / 2)]
        self.earlier = earlier
        // What comes now comes from the beginning.
        if notes != nil { note { ($0.sent, $0.received, $0.expected) = (0, 0, nil) } }
        return former
    }

    /// Takes the whole response of one that was noted when only its head had come.
    mutating func complete(with result: Result<HTTPResponse, any Error>) {
        guard notes != nil, isPassedOn, let head = latest?.response else { return }
        let body: Data? =
            switch result {
            case .success(let response): response.status == head.status ? response.body : nil
            case .failure(let error): (error as? APIError)?.body
            }
        if let body { latest?.response?.body = body }
    }

    /// Changes the attempt of a number, which is hardly ever not the latest.
    mutating func change(_ number: Int, _ change: (inout CallTrace.Attempt) -> Void) {
        if latest?.number == number {
            latest?.change(change)
        } else if let index = earlier?.lastIndex(where: { $0.number == number }) {
            earlier?[index].change(change)
        }
    }
}
