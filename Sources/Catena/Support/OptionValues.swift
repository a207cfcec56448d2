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
    private var values: [(key: ObjectIdentifier, value: any Sendable)] = []

    subscript<Key: OptionKey>(key: Key.Type) -> Key.Value {
        get {
            let key = ObjectIdentifier(key)
            // A cast costs more than to see that there is none.
            guard let found = values.first(where: { $0.key == key }) else { return Key.initial }
            return found.value as? Key.Value ?? Key.initial
        }
        set {
            let key = ObjectIdentifier(key)
            if let place = values.firstIndex(where: { $0.key == key }) {
                values[place].value = newValue
            } else {
                values.append((key, newValue))
            }
        }
    }
}
