extension RequestSteps {
    /// Sets a value of your own, which interceptors, signers, observers, logs and stubs of the call can read. See ``OptionKey``.
    ///
    /// ```swift
    /// enum ScreenName: OptionKey { static let initial: String? = nil }
    ///
    /// API.tag(.forum).get("/rooms").set(ScreenName.self, "rooms").execute(as: [Room].self)
    /// ```
    public consuming func set<Key: OptionKey>(_ key: Key.Type, _ value: Key.Value) -> Self {
        request.ownValues[key] = value
        return self
    }

    /// The value of your own that ``set(_:_:)-(Key.Type,_)`` has set, or the key's initial value.
    public subscript<Key: OptionKey>(key: Key.Type) -> Key.Value { request.ownValues[key] }
}
