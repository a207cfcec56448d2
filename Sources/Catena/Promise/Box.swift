/// The place of a promise's value.
@usableFromInline
final class Box<Value: Sendable>: Sendable {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
    }

    /// Takes the value out of a box whose type the caller knows.
    ///
    /// `unsafeDowncast` is right here because a box is made in one place only for each promise: an `Outcome` travels between
    /// cores of the same value type (`then`, `catch`, `finally`, adoption) or is replaced by a new box of the next type (`map`),
    /// and both are written in terms of `Promise<Value>`, which the compiler checks. Debug builds verify the type.
    @inlinable
    static func open(_ box: any AnyObject & Sendable) -> Value {
        unsafeDowncast(box, to: Box<Value>.self).value
    }
}
