package import Foundation

/// A transport that is told to which call a request belongs, so that it can answer as the call's own backend would.
package protocol CallTransport: Transport {
    /// Sends a request of a call; see ``Transport/send(_:)``.
    func send(_ request: HTTPRequest, of call: CallContext) async throws -> TransportResponse
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

    init(_ call: Call) {
        let request = call.execution.request
        tag = request.tag
        attempt = call.attempt
        envelope = call.envelope
        encoder = call.profile.encoder
        clock = call.client.clock
        let host = Profile.parse(request.location.host) ?? call.execution.home
        hostPath = request.location.absolute == nil ? (try? host?.get())?.path ?? "" : ""
        style = call.execution.settings.parameterStyle
    }

    /// Params as the names and values that the call's queries and forms have for them.
    package func items(of params: Params) throws -> [(name: String, value: String)] {
        try ParameterField.fields(of: params, style: style).map { ($0.name, $0.value) }
    }
}

extension Call {
    /// What carries this call's requests in place of the client's plain transport: a transport of the call's own, or one that is told
    /// of the call.
    var ownTransport: (any Transport)? {
        guard let transport = execution.request.options.transport ?? client.callTransport else { return nil }
        return InformedTransport(transport: transport, context: CallContext(self))
    }
}

private struct InformedTransport: Transport {
    let transport: any CallTransport
    let context: CallContext

    func send(_ request: HTTPRequest) async throws -> TransportResponse {
        try await transport.send(request, of: context)
    }
}

extension Request {
    /// Has this call's requests carried by a transport of its own.
    package consuming func transport(_ transport: any CallTransport) -> Request {
        options.transport = transport
        return self
    }
}
