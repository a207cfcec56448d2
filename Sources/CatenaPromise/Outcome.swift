/// The outcome of a promise, with the value's type erased.
///
/// The core of a promise is not generic, so that a link of a chain needs no generic metadata at run time. Only the typed surface, ``Promise``,
/// wraps and unwraps values.
@usableFromInline
package enum Outcome: Sendable {
    case fulfilled(any AnyObject & Sendable)
    case rejected(any Error, Notice)
    case cancelled

    /// The handling of an error so far. It belongs to one rejection along one chain, and is no property of the error.
    @usableFromInline
    package enum Notice: Sendable {
        /// No handler has seen the error, so it is reported as unhandled.
        case unseen
        /// Another consumer is responsible for the error.
        case seen
        /// A catch has run for the error, so later catches of its chain do not.
        case caught
    }

    @inlinable
    package static func fulfilled<Value: Sendable>(with value: Value) -> Outcome {
        .fulfilled(Box(value))
    }

    /// Returns the outcome of an error. One that means cancellation is not a failure.
    @inlinable
    package static func rejected(_ error: any Error) -> Outcome {
        error.isCancellation ? .cancelled : .rejected(error, .unseen)
    }

    /// This outcome, marked as seen by a handler, so that it is not reported as unhandled.
    package var seen: Outcome {
        guard case .rejected(let error, .unseen) = self else { return self }
        return .rejected(error, .seen)
    }

    /// This outcome, marked as one for which a catch has run.
    package var caught: Outcome {
        guard case .rejected(let error, _) = self else { return self }
        return .rejected(error, .caught)
    }

    /// This outcome at the beginning of another chain, whose own catches have not run yet.
    package var uncaught: Outcome {
        guard case .rejected(let error, .caught) = self else { return self }
        return .rejected(error, .seen)
    }

    package var kind: Interest {
        switch self {
        case .fulfilled: .fulfilled
        case .rejected(_, .caught): .caught
        case .rejected: .rejected
        case .cancelled: .cancelled
        }
    }

    /// Returns the typed result.
    @inlinable
    package func result<Value: Sendable>(as type: Value.Type) -> Result<Value, any Error> {
        switch self {
        case .fulfilled(let box): .success(Box<Value>.open(box))
        case .rejected(let error, _): .failure(error)
        case .cancelled: .failure(CancellationError())
        }
    }
}

/// The kinds of outcome that a link of a chain reacts to. Other outcomes pass without a change of thread.
@usableFromInline
package struct Interest: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8

    @inlinable
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    @inlinable package static var fulfilled: Interest { Interest(rawValue: 1) }
    @inlinable package static var rejected: Interest { Interest(rawValue: 2) }
    @inlinable package static var cancelled: Interest { Interest(rawValue: 4) }
    /// The cancellation of the link itself, even if its source continues.
    @inlinable package static var ownCancellation: Interest { Interest(rawValue: 8) }
    /// A rejection for which a catch of the chain has run, unlike `rejected`.
    @inlinable package static var caught: Interest { Interest(rawValue: 16) }
    @inlinable package static var any: Interest { Interest(rawValue: 31) }
}

/// A value behind a reference, such as that of a promise.
@usableFromInline
package final class Box<Value: Sendable>: Sendable {
    @usableFromInline package let value: Value

    @inlinable
    package init(_ value: Value) {
        self.value = value
    }

    /// Returns the value of a box whose type the caller knows.
    ///
    /// `unsafeDowncast` is correct here because each promise has only one place that creates boxes. An `Outcome` either travels between cores of the
    /// same value type (`then`, `catch`, `finally`, adoption), or a new box of the next type replaces it (`map`). Both are written in terms of
    /// `Promise<Value>`, which the compiler checks. Debug builds verify the type.
    @inlinable
    package static func open(_ box: any AnyObject & Sendable) -> Value {
        unsafeDowncast(box, to: Box<Value>.self).value
    }
}
