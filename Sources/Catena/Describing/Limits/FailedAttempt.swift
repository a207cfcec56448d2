import CatenaPlatform

/// A failed attempt, as the closures of a ``RetryPolicy`` receive it.
///
/// ```swift
/// forum.retry = .exponential(limit: 3).when { failure in failure.isTransient || failure.response?.status == 409 }
/// ```
public struct FailedAttempt: Sendable {
    /// The failure, with the code and the message of the backend and the first bytes of the body.
    public internal(set) var error: APIError
    /// The number of the attempt, starting at 1. A repeat, and a second send after a credential refresh, belong to the attempt before them.
    public internal(set) var attempt: Int
    /// The request as it was prepared, before credential and signature were added. Its description contains no secrets.
    public internal(set) var request: HTTPRequest
    /// Whether the policy would retry the failure without ``RetryPolicy/when(_:)``: by its statuses, kinds and codes, and by the envelope.
    public internal(set) var isTransient = false
    var hasIdempotencyKey = false
    /// A random number from 0 to 1.
    var random: Double
    let now: Date

    /// The response, without its body and its secrets, or `nil` if there was none.
    public var response: ResponseSummary? { error.response }

    /// The wait that the server asks for in its headers or its envelope, or `nil` if it asks for none.
    public var retryAfter: Duration? { error.cause.askedWait(now: now) }

    /// Whether the request may be carried out twice.
    var mayBeRepeated: Bool { request.method.isIdempotent || hasIdempotencyKey }
}

extension FailedAttempt: CustomStringConvertible, CustomReflectable {
    /// The number of the attempt, the request and the failure, without secrets.
    public var description: String { "attempt \(attempt) of \(request): \(error)" }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// The closures of a retry policy.
///
/// A class, so that policies with closures can be compared: they are equal if one is a copy of the other.
final class RetryRules: Sendable, Hashable {
    typealias Predicate = @Sendable (FailedAttempt) -> Bool
    typealias Delay = @Sendable (FailedAttempt) -> Duration?

    let predicate: Predicate?
    let delay: Delay?

    init(predicate: Predicate?, delay: Delay?) {
        self.predicate = predicate
        self.delay = delay
    }

    /// Describes the part of the policy that the closures replace.
    var explanation: String {
        switch (predicate, delay) {
        case (_?, _?): ", by the app's own when and delay"
        case (_?, nil): ", by the app's own when"
        default: ", with the app's own delay"
        }
    }

    static func == (first: RetryRules, second: RetryRules) -> Bool { first === second }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
