#if canImport(Observation)
public import Observation

/// The state of a call, for a view to observe.
///
/// ```swift
/// @State private var users = RequestState<[User]>()
///
/// var body: some View {
///     switch users.phase {
///     case .idle, .loading: ProgressView()
///     case .value(let users): UserList(users)
///     case .failure(let error): ErrorView(error)
///     }
/// }
/// // .task { users.load(ForumAPI.users(in: room)) }
/// ```
///
/// When the state is freed, it cancels the promise, unless other code is waiting for it.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@Observable
@MainActor
public final class RequestState<Value: Sendable> {
    /// The progress of a call.
    public enum Phase: Sendable {
        /// Nothing has been loaded, and no call is running.
        case idle
        /// A call is running.
        case loading
        /// The last call succeeded with this value.
        case value(Value)
        /// The last call failed with this error.
        case failure(APIError)
    }

    /// The progress of the followed call.
    public private(set) var phase = Phase.idle
    /// The last value. It stays while another one is loaded, and if that fails.
    public private(set) var value: Value?

    /// The followed promise, and the phase before it.
    @ObservationIgnored private var current: (promise: Promise<Value>, former: Phase)?

    /// Creates a state that follows no call yet.
    public init() {}

    deinit {
        current?.promise.cancel()
    }

    /// Whether a call is running.
    public var isLoading: Bool {
        if case .loading = phase { true } else { false }
    }

    /// The error of the last call, if it failed.
    public var error: APIError? {
        if case .failure(let error) = phase { error } else { nil }
    }

    /// Follows a promise in place of the previous one, which is cancelled unless other code is waiting for it.
    public func load(_ promise: Promise<Value>) {
        let former = current?.former ?? phase
        current?.promise.cancel()
        phase = .loading
        // A separate promise, so that cancelling it does not cancel the original one for other code.
        let followed = promise.map { $0 }
        current = (followed, former)
        // No `catch`, so that a failure is shown even if the call's own chain has handled it.
        _ = followed.core.derive(on: .main, interest: .any) { [weak self] outcome in
            let ending = Self.ending(outcome)
            MainActor.assumeIsolated {
                self?.finish(followed) { state in
                    switch ending {
                    case .success(let value)?:
                        state.value = value
                        state.phase = .value(value)
                    case .failure(let error)?: state.phase = .failure(error)
                    case nil: state.phase = former
                    }
                }
            }
            if case .failure? = ending { return .settle(outcome.seen) }
            return .settle(outcome)
        }
    }

    /// Returns the value or the failure, or `nil` if the promise was cancelled.
    nonisolated private static func ending(_ outcome: Outcome) -> Result<Value, APIError>? {
        switch outcome.result(as: Value.self) {
        case .success(let value): return .success(value)
        case .failure(let error):
            let error = APIError.wrapping(error)
            return ErrorMatcher.any.matches(error) ? .failure(error) : nil
        }
    }

    /// Cancels the running call, and restores the phase before it.
    public func cancel() {
        guard let current else { return }
        current.promise.cancel()
        finish(current.promise) { $0.phase = current.former }
    }

    /// Applies the outcome of a promise if the promise is still followed.
    private func finish(_ promise: Promise<Value>, _ change: (RequestState) -> Void) {
        guard let current, current.promise.core === promise.core else { return }
        self.current = nil
        change(self)
    }
}
#endif
