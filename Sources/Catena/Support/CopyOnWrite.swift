/// A large value that its copies share until one of them is changed: to copy it is to count one reference more.
///
/// A type whose values are kept by many others has its members in one of these. Otherwise each of the others, and each function that has one,
/// gets code of its own to copy, move and release them all.
struct CopyOnWrite<Value: Sendable>: Sendable {
    /// One element. An array is the object that is copied when it is changed while others hold it; one of our own would have to be unchecked.
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
