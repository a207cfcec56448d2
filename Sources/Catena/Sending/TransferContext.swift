package import CatenaPlatform

/// The call that a request belongs to, as its transport may know it.
///
/// ```swift
/// struct Demo: Transport {
///     func send(_ request: HTTPRequest) async throws -> TransportResponse { try await send(request, in: TransferContext()) }
///
///     func send(_ request: HTTPRequest, in context: TransferContext) async throws -> TransportResponse {
///         TransportResponse(status: context.attempt == 1 ? 503 : 200)
///     }
/// }
/// ```
///
/// A transport that wraps another one passes the context on. Cancelling the task in which it sends stops the inner transfer. A stored context
/// keeps its client alive.
public struct TransferContext: Sendable {
    /// The number of bytes up to which the whole response is wanted, or `nil` if its body is read as it arrives.
    package let limit: Int?
    /// Ends the transfer when the attempt or its call ends, and follows its pieces.
    package let stopper: TransferStopper?
    private let call: (any CallInTransfer)?

    /// Makes the context of a request that belongs to no call.
    public init() { self.init(limit: nil, stopper: nil, of: nil) }

    init(limit: Int?, stopper: TransferStopper?, of call: (any CallInTransfer)?) {
        (self.limit, self.stopper, self.call) = (limit, stopper, call)
    }

    /// The context for a transport of an app. It has no limit, because only the end of its task stops all for which such a transport waits.
    init(ofApp call: (any CallInTransfer)?, stopper: TransferStopper) { self.init(limit: nil, stopper: stopper, of: call) }

    /// The tag of the call.
    public var tag: Tag? { call?.tag }
    /// The number of the attempt, from 1.
    public var attempt: Int { call?.attempt ?? 1 }
    /// The properties of the call that stubs use.
    package var stub: StubContext { call?.stub ?? StubContext() }

    /// Returns the response of work that waits. The end of the attempt stops the work and the body at once. If the body is read as it
    /// arrives, the reader of the head stops them.
    package func run(_ work: @escaping @Sendable () async throws -> TransportResponse) async throws -> TransportResponse {
        guard let stopper, let limit else { return try await work() }
        return try await stopper.run {
            var response = try await work()
            stopper.inactivity?.noteReceived()
            let (body, fault) = try await response.collectBody(limit: limit, notifying: stopper)
            (response.body, response.bodyFault) = (TransportBody(body), fault)
            return response
        }
    }

    /// Returns a response that needed no wait, unless the attempt has ended meanwhile.
    package func inTime(_ response: TransportResponse) throws -> TransportResponse {
        if let interruption = stopper?.interruption { throw interruption }
        return response
    }
}

extension TransferContext: CustomStringConvertible, CustomReflectable {
    /// The tag and the number of the attempt.
    public var description: String { "attempt \(attempt)" + (tag.map { " of a call of \($0.name)" } ?? "") }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// A call as its transport may know it.
protocol CallInTransfer: Sendable {
    var tag: Tag? { get }
    var attempt: Int { get }
    /// The properties that stubs use, gathered only if one asks.
    var stub: StubContext { get }
}

/// The properties of a call that a stub uses to respond like the call's backend.
package struct StubContext: Sendable {
    package let tag: Tag?
    /// The number of the attempt, from 1.
    package let attempt: Int
    package let envelope: Envelope
    package let encoder: JSONEncoder
    package let clock: any TimerClock
    /// The path of the host, to which the call's path was appended; "" if there is none.
    package let hostPath: String
    private let style: ParameterStyle

    /// Creates the context of a call. Without arguments, it is that of a request whose call is unknown.
    package init(
        tag: Tag? = nil, attempt: Int = 1, envelope: Envelope = .standard, encoder: JSONEncoder = JSONEncoder(),
        clock: any TimerClock = SystemClock.shared, hostPath: String = "", style: ParameterStyle = ParameterStyle()
    ) {
        (self.tag, self.attempt, self.envelope, self.encoder) = (tag, attempt, envelope, encoder)
        (self.clock, self.hostPath, self.style) = (clock, hostPath, style)
    }

    /// Returns the params as names and values, encoded in the style of the call's queries and forms.
    package func items(of params: Params) throws -> [(name: String, value: String)] {
        try ParameterField.fields(of: params, style: style).map { ($0.name, $0.value) }
    }
}
