/// A value that is made when it is first asked for, and kept.
struct OnceValue<Value: Sendable>: ~Copyable, Sendable {
    private let made = Mutex<Value?>(nil)

    /// The value. Where several ask for the first time at once, all get the one that was made first.
    func value(_ make: () -> Value) -> Value {
        if let known = made.withLock({ $0 }) { return known }
        let new = make()
        return made.withLock { value in
            let first = value ?? new
            value = first
            return first
        }
    }
}
