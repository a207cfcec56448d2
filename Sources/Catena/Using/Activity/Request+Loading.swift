extension RequestSteps {
    /// Reports on the main actor when a run of the request begins and when it has ended, whatever its outcome is. `execute` on the main actor reports
    /// the beginning before it returns.
    ///
    /// ```swift
    /// .loading { isLoading in self.button.isEnabled = !isLoading }
    /// ```
    ///
    /// Each run reports `true` once and `false` once, the latter before its `then` and `catch`. Retries and the reading of a stream are
    /// parts of a run. If several runs share a flag, use ``loading(_:on:after:atLeast:)``, which counts them.
    ///
    /// With `after` and `atLeast` an indicator does not flicker. A run that ends within `after` reports nothing. `false` follows `true` after
    /// `atLeast` or more, perhaps later than `then` and `catch`. A run that is cancelled reports `false` at once, unless
    /// ``id(_:replacing:)`` has replaced it by another run.
    ///
    /// - Parameters:
    ///   - delay: The time that a run takes before it reports `true`.
    ///   - shortest: The time from `true` to `false`, at least.
    ///   - notify: Receives `true` and `false`.
    public consuming func loading(
        after delay: Duration = .zero, atLeast shortest: Duration = .zero,
        _ notify: @escaping @MainActor @Sendable (_ isLoading: Bool) -> Void
    ) -> Self {
        let indicator = LoadingIndicator { _ in
            notify(true)
            return { notify(false) }
        }
        request.indicators.append(indicator.timed(after: delay, atLeast: shortest))
        return self
    }

    /// Sets a flag of an object while a run of the request is active.
    ///
    /// ```swift
    /// .loading(\.isLoading, on: model)
    /// ```
    ///
    /// Calls that share a flag are counted: the first one sets it, and the last one clears it, even if the app has set it itself. That includes calls
    /// that name the property by the object's superclass. `execute` on the main actor sets the flag before it returns. The object is not retained.
    ///
    /// - Parameters:
    ///   - flag: The property to set.
    ///   - model: The object with the property.
    ///   - delay: The time that a run takes before it sets the flag.
    ///   - shortest: The time for which a run holds the flag set, at least. A run that is cancelled but not
    ///     replaced releases it at once.
    @MainActor
    public consuming func loading<Model: AnyObject>(
        _ flag: ReferenceWritableKeyPath<Model, Bool>, on model: Model, after delay: Duration = .zero, atLeast shortest: Duration = .zero
    ) -> Self {
        let flag = LoadingFlag(flag, of: model)
        request.indicators.append(LoadingIndicator { _ in flag.raise() }.timed(after: delay, atLeast: shortest))
        return self
    }

    /// Shows a message while a run of the request is active, with the client's ``ActivityPresenter``.
    ///
    /// - Parameters:
    ///   - message: The message, or "" for an indicator without text.
    ///   - modal: Whether the message blocks all other user interaction.
    ///   - priority: The rank among the messages of other calls.
    ///   - delay: The time that a run takes before it shows the message.
    ///   - shortest: The time for which the message is shown, at least. A run that is cancelled but not
    ///     replaced removes it at once.
    public consuming func loading(
        message: String,
        modal: Bool = false,
        priority: ActivityMessage.Priority = .normal,
        after delay: Duration = .zero,
        atLeast shortest: Duration = .zero
    ) -> Self {
        let indicator = LoadingIndicator { client in
            let messages = client.messages
            let id = messages.add(message, isModal: modal, priority)
            return { messages.remove(id) }
        }
        request.indicators.append(indicator.timed(after: delay, atLeast: shortest))
        return self
    }

    /// Has moved to ``loading(message:modal:priority:)``.
    @available(*, unavailable, renamed: "loading(message:modal:priority:)")
    public consuming func loadMessage(
        _ message: String = "", modal: Bool = false, priority: ActivityMessage.Priority = .normal
    ) -> Self { self }
}

/// A flag of an object that is set while any of several calls is active.
@MainActor
final class LoadingFlag<Model: AnyObject> {
    private weak var model: Model?
    private let keyPath: ReferenceWritableKeyPath<Model, Bool>

    init(_ keyPath: ReferenceWritableKeyPath<Model, Bool>, of model: Model) {
        self.keyPath = keyPath
        self.model = model
    }

    /// Counts one more call. Returns the closure that counts it as ended.
    func raise() -> @MainActor () -> Void {
        guard let model else { return {} }
        let key = LoadingCount.Key(object: ObjectIdentifier(model), keyPath: keyPath)
        let count: LoadingCount
        // The address may have belonged to another object before.
        if let present = LoadingCount.all[key], present.object === model {
            count = present
        } else {
            count = LoadingCount(model, keyPath)
            LoadingCount.all[key] = count
        }
        count.calls += 1
        if count.calls == 1 { count.isSet = true }
        return {
            count.calls -= 1
            guard count.calls == 0 else { return }
            if LoadingCount.all[key] === count { LoadingCount.all[key] = nil }
            count.clear()
        }
    }
}

/// The number of calls that hold a flag set.
@MainActor
private final class LoadingCount {
    struct Key: Hashable {
        let object: ObjectIdentifier
        let keyPath: AnyKeyPath
    }

    static var all: [Key: LoadingCount] = [:]

    private(set) weak var object: AnyObject?
    private let read: @MainActor (AnyObject) -> Bool
    private let write: @MainActor (AnyObject, Bool) -> Void
    var calls = 0

    init<Model: AnyObject>(_ object: Model, _ keyPath: ReferenceWritableKeyPath<Model, Bool>) {
        self.object = object
        read = { object in (object as? Model)?[keyPath: keyPath] ?? false }
        write = { object, isSet in (object as? Model)?[keyPath: keyPath] = isSet }
    }

    /// The flag itself, or `false` if the object no longer exists.
    var isSet: Bool {
        get { object.map(read) ?? false }
        set { if let object { write(object, newValue) } }
    }

    /// Clears the flag.
    ///
    /// One property can have several key paths that are not equal, such as `\Base.isLoading` and the `\Model.isLoading` of a subclass. If this write
    /// clears the flag of another count, both are the same property, which that count then keeps set.
    func clear() {
        let others = Self.all.values.filter { $0.object === object && $0.isSet }
        isSet = false
        // The observers of the property may have ended the calls of another count meanwhile.
        for other in others where other.calls > 0 && !other.isSet { other.isSet = true }
    }
}
