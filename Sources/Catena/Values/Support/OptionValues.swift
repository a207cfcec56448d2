/// A key for a value of your own that a request carries, such as the screen that a call belongs to.
///
/// ```swift
/// enum ScreenName: OptionKey { static let initial: String? = nil }
///
/// let request = API.tag(.forum).get("/rooms").set(ScreenName.self, "rooms")
/// request[ScreenName.self]  // "rooms"
/// ```
///
/// ``RequestSteps/set(_:_:)-(Key.Type,_)`` sets the value. Interceptors, signers, transports, observers, error handlers, logs and stubs read it by the
/// same subscript of what they receive. A value is never sent, written to a log or shown by a description, and it is no part of the keys by
/// which responses are cached and shared.
public protocol OptionKey {
    /// The type of the value.
    associatedtype Value: Sendable

    /// The value if none was set.
    static var initial: Value { get }
}

/// The values of options, by key. There are few, usually none, so searching a list is faster than a dictionary lookup.
package struct OptionValues: Sendable {
    private struct Option: Sendable {
        let key: ObjectIdentifier
        var value: any OptionValue
    }

    private var options: [Option] = []

    var isEmpty: Bool { options.isEmpty }

    /// The names of the keys. The values are omitted, because they may be secret.
    var names: [String] { options.map(\.value.name) }

    package subscript<Key: OptionKey>(key: Key.Type) -> Key.Value {
        get {
            guard let place = place(of: key) else { return Key.initial }
            return (options[place].value as? ValueOfKey<Key>)?.value ?? Key.initial
        }
        set {
            let value = ValueOfKey<Key>(newValue)
            if let place = place(of: key) {
                options[place].value = value
            } else {
                options.append(Option(key: ObjectIdentifier(key), value: value))
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

/// A value that knows its key, so that a description can name it. An object, because each call reads some, and the cast of an object is cheap.
private protocol OptionValue: AnyObject, Sendable {
    var name: String { get }
}

private final class ValueOfKey<Key: OptionKey>: OptionValue {
    let value: Key.Value

    init(_ value: Key.Value) { self.value = value }

    var name: String { "\(Key.self)" }
}

extension OptionValues: CustomStringConvertible, CustomReflectable {
    /// The number of values. The values are omitted, because they may be secret.
    package var description: String { options.count == 1 ? "1 value" : "\(options.count) values" }
    package var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// The values that an app has set for a call. They travel with a request and are not sent, so they do not affect its equality.
struct OwnValues: Sendable, Equatable {
    var values = OptionValues()

    static func == (left: OwnValues, right: OwnValues) -> Bool { true }
}
