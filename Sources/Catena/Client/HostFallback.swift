import Synchronization

/// Goes to hosts directly as long as that works, and by way of others once it does not: a campus network's proxy, a second line.
///
/// ```swift
/// let proxy = HostFallback(HostRewrite(["forum.example.com": "https://vpn.example.com/forum"]), patience: .seconds(2))
/// API.configure(.forum) { $0.intercept("proxy", with: proxy.intercept) }
/// proxy.reset()        // when the network has changed
/// ```
///
/// A request that could not be sent (no name, no connection, no secure connection) goes by the other way at once. One that may have
/// arrived, because it took longer than the patience allows, does so only if its method is idempotent: a post is never sent twice. From then on all requests go by the other
/// way, until ``reset()``.
public final class HostFallback: Sendable {
    private let rewrite: HostRewrite
    private let patience: Duration?
    private let isOn = Atomic(false)

    /// - Parameters:
    ///   - rewrite: The other way.
    ///   - patience: How long an idempotent request may take on the direct way; `nil` is as long as any attempt.
    public init(_ rewrite: HostRewrite, patience: Duration? = nil) {
        self.rewrite = rewrite
        self.patience = patience
    }

    /// Whether requests go by the other way.
    public var isActive: Bool { isOn.load(ordering: .acquiring) }

    /// Tries the direct way again.
    public func reset() { isOn.store(false, ordering: .releasing) }

    /// An ``Interceptor`` that sends each request.
    public func intercept(_ call: Call, next: @escaping @Sendable (Call) async throws -> HTTPResponse) async throws -> HTTPResponse {
        var other = call
        other.request = try rewrite.rewriting(call.request)
        // Not a host that there is another way to.
        guard other.request.address != call.request.address else { return try await next(call) }
        guard !isActive else { return try await next(other) }
        do {
            return try await direct(call, next)
        } catch let error as APIError where Self.isReason(error) {
            isOn.store(true, ordering: .releasing)
            guard Self.wasNotSent(error) || call.request.method.isIdempotent, call.request.isReplayable else { throw error }
            return try await next(other)
        }
    }

    private func direct(
        _ call: Call, _ next: @escaping @Sendable (Call) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        guard let patience, call.request.method.isIdempotent else { return try await next(call) }
        return try await withTimeLimit(
            patience, on: call.client.clock, error: APIError(.timeout, message: "The direct way took longer than \(patience).")
        ) {
            try await next(call)
        }
    }

    private static func isReason(_ error: APIError) -> Bool {
        wasNotSent(error) || (error.kind == .timeout && error.status == nil)
    }

    private static func wasNotSent(_ error: APIError) -> Bool {
        error.kind == .connect || error.kind == .dns || error.kind == .tls
    }
}
