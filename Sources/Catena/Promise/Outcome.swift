/// How a promise was settled, with the value's type erased.
///
/// The core of a promise is not generic, which keeps a link of a chain cheap (no generic metadata at run time). The typed
/// surface, ``Promise``, is the only place where a value goes in and comes out.
@usableFromInline
enum Outcome: Sendable {
    case fulfilled(any AnyObject & Sendable)
    case rejected(any Error, seen: Bool)
    case cancelled

    @inlinable
    static func fulfilled<Value: Sendable>(with value: Value) -> Outcome {
        .fulfilled(Box(value))
    }

    /// Cancellation is not a failure, however it is spelt.
    @inlinable
    static func rejected(_ error: any Error) -> Outcome {
        error is CancellationError ? .cancelled : .rejected(error, seen: false)
    }

    /// The same outcome, marked as known to a handler, so that it is not reported as unhandled.
    var seen: Outcome {
        guard case .rejected(let error, false) = self else { return self }
        return .rejected(error, seen: true)
    }

    var kind: Interest {
        switch self {
        case .fulfilled: .fulfilled
        case .rejected: .rejected
        case .cancelled: .cancelled
        }
    }

    /// The typed result.
    @inlinable
    func result<Value: Sendable>(as type: Value.Type) -> Result<Value, any Error> {
        switch self {
        case .fulfilled(let box): .success(Box<Value>.open(box))
        case .rejected(let error, _): .failure(error)
        case .cancelled: .failure(CancellationError())
        }
    }
}

/// The kinds of outcome that a link of a chain reacts to; the others pass it by without a change of thread.
@usableFromInline
struct Interest: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    @inlinable static var fulfilled: Interest { Interest(rawValue: 1) }
    @inlinable static var rejected: Interest { Interest(rawValue: 2) }
    @inlinable static var cancelled: Interest { Interest(rawValue: 4) }
    /// The cancellation of the link itself, although its source may go on.
    @inlinable static var ownCancellation: Interest { Interest(rawValue: 8) }
    @inlinable static var any: Interest { Interest(rawValue: 15) }
}
