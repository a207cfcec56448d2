/// The options that one layer sets: a call, its rule, a tag or the defaults. A weaker layer determines the options that are not set.
///
/// ```swift
/// layer[\.timeout] = .seconds(10)
/// layer[\.timeout] = nil  // A weaker layer determines it again.
/// ```
package struct OptionLayer: Sendable {
    package typealias Option<Value> = any WritableKeyPath<CallConfiguration, Value> & Sendable

    /// A list, because a layer sets few options, and a call usually sets none.
    private var settings: [any OptionSetting] = []

    package init() {}

    var isEmpty: Bool { settings.isEmpty }

    /// The value of an option, or `nil` if this layer does not set it.
    package subscript<Value: Sendable>(option: Option<Value>) -> Value? {
        get { value(of: option) }
        set { set(option, to: newValue) }
    }

    /// The value of an option that the library leaves unset, or `nil` if this layer does not set it either.
    package subscript<Value: Sendable>(option: Option<Value?>) -> Value? {
        get { value(of: option) ?? nil }
        set { set(option, to: newValue.map(Optional.some)) }
    }

    /// The value of an option that this layer extends, such as a list.
    subscript<Value: Sendable>(option: Option<Value>, default value: @autoclosure () -> Value) -> Value {
        get { self[option] ?? value() }
        set { self[option] = newValue }
    }

    private func value<Value: Sendable>(of option: Option<Value>) -> Value? {
        (setting(of: option) as? Setting<Value>)?.value
    }

    private mutating func set<Value: Sendable>(_ option: Option<Value>, to value: Value?) {
        replace(option, by: value.map { Setting(path: option, value: $0) })
    }

    // Without the type of the value and not inlined, because the compiler copies generic code for each type.
    @inline(never)
    private func setting(of option: PartialKeyPath<CallConfiguration>) -> (any OptionSetting)? {
        settings.first { $0.option == option }
    }

    @inline(never)
    private mutating func replace(_ option: PartialKeyPath<CallConfiguration>, by setting: (any OptionSetting)?) {
        settings.removeAll { $0.option == option }
        if let setting { settings.append(setting) }
    }

    /// Changes a configuration of weaker layers.
    func apply(to configuration: inout CallConfiguration) {
        for setting in settings { setting.apply(to: &configuration) }
    }

    /// Returns one layer with the options of this layer, and with those of a weaker layer that this one does not set.
    package func over(_ weaker: OptionLayer) -> OptionLayer {
        var layer = weaker
        layer.settings.removeAll { weak in settings.contains { $0.option == weak.option } }
        layer.settings += settings
        return layer
    }
}

/// An option with the value that a layer gives it.
private protocol OptionSetting: Sendable {
    var option: PartialKeyPath<CallConfiguration> { get }

    func apply(to configuration: inout CallConfiguration)
}

private struct Setting<Value: Sendable>: OptionSetting {
    let path: OptionLayer.Option<Value>
    let value: Value

    var option: PartialKeyPath<CallConfiguration> { path }

    func apply(to configuration: inout CallConfiguration) { configuration[keyPath: path] = value }
}
