package import Foundation

/// A transport that is told to which call a request belongs, so that it can answer as the call's own backend would.
package protocol CallTransport: Transport {
    /// Sends a request of a call; see ``Transport/send(_:)``.
    func send(_ request: HTTPRequest, of call: CallContext) async throws -> TransportResponse

    /// What becomes of a request of a call, with which nothing waits yet.
    func answer(to request: HTTPRequest, of call: CallContext) throws -> CallAnswer
}

extension CallTransport {
    package func answer(to request: HTTPRequest, of call: CallContext) throws -> CallAnswer {
        .awaited { try await send(request, of: call) }
    }
}

/// What a transport answers to a request of a call.
package enum CallAnswer: Sendable {
    /// A whole response, for which nobody has to wait.
    case immediate(TransportResponse)
    case awaited(@Sendable () async throws -> TransportResponse)
}

/// What a transport may know of the call to which a request belongs.
package struct CallContext: Sendable {
    package let tag: Tag?
    /// Counts from 1.
    package let attempt: Int
    package let envelope: Envelope
    package let encoder: JSONEncoder
    package let clock: any TimerClock
    /// The path of the host itself, to which the call's path was appended; "" if it has none.
    package let hostPath: String
    private let style: ParameterStyle

    /// Of a request whose call is not known.
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

    /// Params as the names and values that the call's queries and forms have for them.
    package func items(of params: Params) throws -> [(name: String, value: String)] {
        try ParameterField.fields(of: params, style: style).map { ($0.name, $0.value) }
    }
}

/// A transport that is told of calls, for one of them.
struct InformedTransport: Transport {
    let transport: any CallTransport
    let context: CallContext

    func send(_ request: HTTPRequest) async throws -> TransportResponse {
        try await transport.send(request, of: context)
    }

    /// The whole response, while an interruption can end it. What does not wait needs no task.
    @inline(never)
    func collect(_ request: HTTPRequest, limit: Int, interruption: TransferStopper) async throws -> HTTPResponse {
        switch try transport.answer(to: request, of: context) {
        case .immediate(let response):
            try await interruption.check { try await response.whole(of: request, limit: limit, notifying: interruption) }
        case .awaited(let send):
            try await interruption.run { try await send().whole(of: request, limit: limit, notifying: interruption) }
        }
    }
}
