/// A key for a value that a higher floor adds to a type of a lower one, such as ``Request``. The type need not know the value.
///
/// ```swift
/// private enum Interceptors: OptionKey { static let initial: [Interceptor] = [] }
///
/// extension Request {
///     var interceptors: [Interceptor] {
///         get { values[Interceptors.self] }
///         set { values[Interceptors.self] = newValue }
///     }
/// }
/// ```
protocol OptionKey {
    associatedtype Value: Sendable

    /// The value if none was set.
    static var initial: Value { get }
}

/// The values of options that higher floors define. There are few, usually none, so searching a list is faster than a dictionary lookup.
struct OptionValues: Sendable {
    private struct Option: Sendable {
        let key: ObjectIdentifier
        var value: any Sendable
    }

    private var options: [Option] = []

    subscript<Key: OptionKey>(key: Key.Type) -> Key.Value {
        get {
            guard let place = place(of: key) else { return Key.initial }
            return options[place].value as? Key.Value ?? Key.initial
        }
        set {
            if let place = place(of: key) {
                options[place].value = newValue
            } else {
                options.append(Option(key: ObjectIdentifier(key), value: newValue))
            }
        }
    }

    /// Returns the index of an option. Compares keys in place, because copying or casting a value costs more.
    private func place<Key: OptionKey>(of key: Key.Type) -> Int? {
        let key = ObjectIdentifier(key)
        for place in options.indices where options[place].key == key { return place }
        return nil
    }
}
