/// How a promise was settled, with the value's type erased.
///
/// The core of a promise is not generic, which keeps a link of a chain cheap (no generic metadata at run time). The typed
/// surface, ``Promise``, is the only place where a value goes in and comes out.
@usableFromInline
package enum Outcome: Sendable {
    case fulfilled(any AnyObject & Sendable)
    case rejected(any Error, Notice)
    case cancelled

    /// Who has taken notice of an error. It goes with one rejection along one chain, and is no property of the error.
    @usableFromInline
    package enum Notice: Sendable {
        /// Nobody: it is reported as unhandled.
        case unseen
        /// Somebody answers for it.
        case seen
        /// A catch has run for it, so that those further down its chain do not.
        case caught
    }

    @inlinable
    package static func fulfilled<Value: Sendable>(with value: Value) -> Outcome {
        .fulfilled(Box(value))
    }

    /// Cancellation is not a failure, however it is spelt.
    @inlinable
    package static func rejected(_ error: any Error) -> Outcome {
        error is CancellationError ? .cancelled : .rejected(error, .unseen)
    }

    /// The same outcome, marked as known to a handler, so that it is not reported as unhandled.
    package var seen: Outcome {
        guard case .rejected(let error, .unseen) = self else { return self }
        return .rejected(error, .seen)
    }

    /// The same outcome, marked as one for which a catch has run.
    package var caught: Outcome {
        guard case .rejected(let error, _) = self else { return self }
        return .rejected(error, .caught)
    }

    /// The same outcome where another chain begins, whose own catches it has still to meet.
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

    /// The typed result.
    @inlinable
    package func result<Value: Sendable>(as type: Value.Type) -> Result<Value, any Error> {
        switch self {
        case .fulfilled(let box): .success(Box<Value>.open(box))
        case .rejected(let error, _): .failure(error)
        case .cancelled: .failure(CancellationError())
        }
    }
}

/// The kinds of outcome that a link of a chain reacts to; the others pass it by without a change of thread.
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
    /// The cancellation of the link itself, although its source may go on.
    @inlinable package static var ownCancellation: Interest { Interest(rawValue: 8) }
    /// A rejection for which a catch of the chain has run; `rejected` is one for which none has.
    @inlinable package static var caught: Interest { Interest(rawValue: 16) }
    @inlinable package static var any: Interest { Interest(rawValue: 31) }
}

/// The place of a promise's value.
@usableFromInline
package final class Box<Value: Sendable>: Sendable {
    @usableFromInline package let value: Value

    @inlinable
    package init(_ value: Value) {
        self.value = value
    }

    /// Takes the value out of a box whose type the caller knows.
    ///
    /// `unsafeDowncast` is right here because a box is made in one place only for each promise: an `Outcome` travels between
    /// cores of the same value type (`then`, `catch`, `finally`, adoption) or is replaced by a new box of the next type (`map`),
    /// and both are written in terms of `Promise<Value>`, which the compiler checks. Debug builds verify the type.
    @inlinable
    package static func open(_ box: any AnyObject & Sendable) -> Value {
        unsafeDowncast(box, to: Box<Value>.self).value
    }
}
