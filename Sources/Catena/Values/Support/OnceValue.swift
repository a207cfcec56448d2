/// A value that is made at its first use and then stored.
struct OnceValue<Value: Sendable>: ~Copyable, Sendable {
    private let made = Mutex<Value?>(nil)

    /// The value, or `nil` if it was not used yet.
    var known: Value? { made.withLock { $0 } }

    /// Returns the value. If several threads request it first at the same time, all receive the same value.
    func value(_ make: () -> Value) -> Value {
        if let known { return known }
        let new = make()
        return made.withLock { value in
            let first = value ?? new
            value = first
            return first
        }
    }
}
