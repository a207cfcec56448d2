package import CatenaPlatform

/// A transport that receives the context of the call to which a request belongs, so that it can respond like the call's backend.
package protocol CallTransport: Transport {
    /// Sends a request of a call; see ``Transport/send(_:)``.
    func send(_ request: HTTPRequest, of call: StubContext) async throws -> TransportResponse

    /// Returns the response to a request, or a closure that awaits it.
    func answer(to request: HTTPRequest, of call: StubContext) throws -> CallAnswer
}

extension CallTransport {
    package func answer(to request: HTTPRequest, of call: StubContext) throws -> CallAnswer {
        .awaited { try await send(request, of: call) }
    }
}

/// The response to a request, or a closure that awaits it.
package enum CallAnswer: Sendable {
    /// A whole response, available without waiting.
    case immediate(TransportResponse)
    case awaited(@Sendable () async throws -> TransportResponse)
}

/// The properties of a call that a transport may use.
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

    /// Creates the context of a request whose call is unknown.
    package init() {
        tag = nil
        attempt = 1
        envelope = .standard
        encoder = JSONEncoder()
        clock = SystemClock.shared
        hostPath = ""
        style = ParameterStyle()
    }

    package init(
        tag: Tag?, attempt: Int, envelope: Envelope, encoder: JSONEncoder, clock: any TimerClock, hostPath: String, style: ParameterStyle
    ) {
        self.tag = tag
        self.attempt = attempt
        self.envelope = envelope
        self.encoder = encoder
        self.clock = clock
        self.hostPath = hostPath
        self.style = style
    }

    /// Returns the params as names and values, encoded in the style of the call's queries and forms.
    package func items(of params: Params) throws -> [(name: String, value: String)] {
        try ParameterField.fields(of: params, style: style).map { ($0.name, $0.value) }
    }
}

/// Sends requests over a call transport with the context of one call. A class, because every call copies the reference, which is usually `nil`.
final class InformedTransport: Transport {
    private let transport: any CallTransport
    private let context: StubContext

    init(_ transport: any CallTransport, for context: StubContext) {
        self.transport = transport
        self.context = context
    }

    func send(_ request: HTTPRequest) async throws -> TransportResponse {
        try await transport.send(request, of: context)
    }

    /// Returns the whole response; the stopper can end the transfer. An immediate response needs no task.
    @inline(never)
    func collect(_ request: HTTPRequest, limit: Int, stopper: TransferStopper) async throws -> HTTPResponse {
        switch try transport.answer(to: request, of: context) {
        case .immediate(let response):
            let result: Result<HTTPResponse, any Error>
            do {
                result = .success(try await response.whole(of: request, limit: limit, notifying: stopper))
            } catch {
                result = .failure(error)
            }
            return try stopper.checked(result)
        case .awaited(let send):
            return try await stopper.run { try await send().whole(of: request, limit: limit, notifying: stopper) }
        }
    }
}
