/// A large value that its copies share until one of them changes, so that a copy costs only a reference count.
///
/// A type that many other types store puts its members in a `CopyOnWrite`. Otherwise each of those types, and each function with such a
/// value, would contain code to copy, move and release every member.
struct CopyOnWrite<Value: Sendable>: Sendable {
    /// A single element. The array is the shared storage; a class of our own would need `@unchecked Sendable`.
    private var elements: [Value]

    init(_ value: consuming Value) {
        elements = [value]
    }

    var value: Value {
        _read { yield elements[0] }
        _modify { yield &elements[0] }
    }
}

extension CopyOnWrite: Equatable where Value: Equatable {}

extension CopyOnWrite: CustomReflectable {
    var customMirror: Mirror { Mirror(reflecting: value) }
}
