extension RequestSteps {
    /// Reports on the main actor when an execution of the request begins and when it has ended, whatever its outcome is.
    ///
    /// ```swift
    /// .loading { isLoading in self.button.isEnabled = !isLoading }
    /// ```
    ///
    /// Each execution reports `true` once and `false` once, the latter before its `then` and `catch`. Retries belong to the execution, and
    /// so does reading a stream. Where several executions share a flag, use ``loading(_:on:)``, which counts them.
    public consuming func loading(_ notify: @escaping @MainActor @Sendable (_ isLoading: Bool) -> Void) -> Self {
        request.indicators.append(
            LoadingIndicator { _ in
                notify(true)
                return { notify(false) }
            })
        return self
    }

    /// Sets a flag of an object while an execution of the request is active.
    ///
    /// ```swift
    /// .loading(\.isLoading, on: model)
    /// ```
    ///
    /// Calls that share a flag are counted: the first one sets it, and the last one restores the value that it had before. The object is
    /// not kept alive.
    @MainActor
    public consuming func loading<Model: AnyObject>(_ flag: ReferenceWritableKeyPath<Model, Bool>, on model: Model) -> Self {
        let flag = LoadingFlag(flag, of: model)
        request.indicators.append(LoadingIndicator { _ in flag.raise() })
        return self
    }

    /// Shows a message while an execution of the request is active, with the client's ``ActivityPresenter``.
    ///
    /// - Parameters:
    ///   - message: The message; "" is an indicator without text.
    ///   - modal: Whether the user can do nothing else meanwhile.
    ///   - priority: Which message is shown if there are several.
    public consuming func loadMessage(
        _ message: String = "",
        modal: Bool = false,
        priority: ActivityMessage.Priority = .normal
    ) -> Self {
        request.indicators.append(
            LoadingIndicator { client in
                let messages = client.messages
                let id = messages.add(message, isModal: modal, priority)
                return { messages.remove(id) }
            })
        return self
    }
}

/// A flag of an object that is set while any of several calls is under way, and then put back.
@MainActor
final class LoadingFlag<Model: AnyObject> {
    private weak var model: Model?
    private let keyPath: ReferenceWritableKeyPath<Model, Bool>

    init(_ keyPath: ReferenceWritableKeyPath<Model, Bool>, of model: Model) {
        self.keyPath = keyPath
        self.model = model
    }

    /// Counts one call more. Gives what counts it less.
    func raise() -> @MainActor () -> Void {
        guard let model else { return {} }
        let key = LoadingCount.Key(object: ObjectIdentifier(model), keyPath: keyPath)
        let count: LoadingCount
        // Another object may have been at this address before.
        if let present = LoadingCount.all[key], present.object === model {
            count = present
        } else {
            count = LoadingCount(model, former: model[keyPath: keyPath])
            LoadingCount.all[key] = count
        }
        count.calls += 1
        if count.calls == 1 { model[keyPath: keyPath] = true }
        return { [keyPath] in
            count.calls -= 1
            guard count.calls == 0 else { return }
            if LoadingCount.all[key] === count { LoadingCount.all[key] = nil }
            if let model = count.object as? Model { model[keyPath: keyPath] = count.former }
        }
    }
}

/// How many calls hold a flag up.
@MainActor
private final class LoadingCount {
    struct Key: Hashable {
        let object: ObjectIdentifier
        let keyPath: AnyKeyPath
    }

    static var all: [Key: LoadingCount] = [:]

    private(set) weak var object: AnyObject?
    /// What the flag was before the first call.
    let former: Bool
    var calls = 0

    init(_ object: AnyObject, former: Bool) {
        self.object = object
        self.former = former
    }
}
