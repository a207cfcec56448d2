/// Names a value that an upper floor adds to a description of a lower one, such as a ``Request``, which need not know of it.
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

    /// What holds where nothing was set.
    static var initial: Value { get }
}

/// The values of options that upper floors define; mostly none, and never many: a list is faster to look through than a dictionary is to ask.
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

    /// Looked for in place: to copy a value, or to cast one, costs more than to see that it is another one's.
    private func place<Key: OptionKey>(of key: Key.Type) -> Int? {
        let key = ObjectIdentifier(key)
        for place in options.indices where options[place].key == key { return place }
        return nil
    }
}
