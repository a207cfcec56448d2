// Names of version 0.10, for one version, and words that one tries first, so that the compiler names the new one.
public import Catena
public import CatenaLoopback

/// Request that reached a stub.
@available(*, unavailable, renamed: "StubRequest")
public typealias StubCall = StubRequest

extension StubRequest {
    /// Explains the error of the former property.
    @available(*, unavailable, message: "read `url`, `path`, `headers` or `body` of the request itself")
    public var request: StubRequest { self }
}

extension Stubs {
    /// Explains the error of the former name.
    @available(*, unavailable, renamed: "requests")
    public var calls: [StubRequest] { requests }

    /// Explains the error of the former name.
    @available(*, unavailable, renamed: "requests(_:to:)")
    public func calls(_ method: HTTPMethod? = nil, to path: Path) -> [StubRequest] { requests(method, to: path) }

    /// Explains the error of the former name.
    @available(*, unavailable, renamed: "requests(_:to:)")
    public func calls(_ method: HTTPMethod? = nil, to path: some StringProtocol) -> [StubRequest] { requests(method, to: path) }
}

extension StubExpectation {
    /// Explains the error of the former name.
    @available(*, unavailable, renamed: "requests")
    public var calls: [StubRequest] { requests }
}

/// Transport with one closure, in whose place stubs are.
@available(
    *, unavailable,
    message: "write `let stubs = Stubs()`, `stubs.on(nil, \"/**\").reply { request in … }` and `Client(transport: stubs)`"
)
public final class StubTransport: Transport {
    /// Creates nothing, because stubs are the transport.
    public init(_ answer: @escaping @Sendable (StubRequest) async throws -> StubReply) {}

    /// Sends nothing.
    public func send(_ request: HTTPRequest) async throws -> TransportResponse { TransportResponse(status: 204) }
}

/// Rules that say when a recorded reply fits a call.
@available(*, unavailable, renamed: "RecordingRules")
public typealias RecordingMatch = RecordingRules

extension RecordingRules {
    /// Explains the error of the former property.
    @available(*, unavailable, message: "write `rules.volatileParams` and `rules.comparedHeaders`")
    public var matching: RecordingRules {
        get { self }
        set {}
    }
}

extension Client {
    /// Explains the error of a closure for settings.
    @available(*, unavailable, message: "write `client.configureDefaults { … }` or `client.configure(tag) { … }` in the next line")
    public convenience init(testing stubs: Stubs, _ change: (inout Profile) -> Void) { self.init(testing: stubs) }
}

extension Stub {
    /// Explains the error of a gate that is no step.
    @available(*, unavailable, message: "write `let gate = LoopbackGate()`, and `.reply(.reply(data: …).held(by: gate))`")
    public func held() {}
}

extension Stubs {
    /// Explains the error of another library's word.
    @available(*, unavailable, renamed: "verifyWhenIdle()")
    public func settle() async throws {}
}
