extension Request {
    /// Tells, on the main actor, when a run of the request begins and when it has ended, whatever its outcome is.
    ///
    /// ```swift
    /// .loading { isLoading in self.button.isEnabled = !isLoading }
    /// ```
    ///
    /// Each run tells `true` once and `false` once, the latter before its `then` and `catch`. Retries belong to the run, and so does
    /// reading a stream. Where several runs share something, use ``loading(_:on:)``, which counts them.
    public consuming func loading(_ tell: @escaping @MainActor @Sendable (_ isLoading: Bool) -> Void) -> Request {
        options.indicators.append(
            LoadingIndicator { _ in
                tell(true)
                return { tell(false) }
            })
        return self
    }

    /// Sets a flag of an object while a run of the request is under way.
    ///
    /// ```swift
    /// .loading(\.isLoading, on: model)
    /// ```
    ///
    /// Calls that share a flag are counted: the first one sets it, and the last one gives it the value back that it had before. The object
    /// is not kept alive.
    @MainActor
    public consuming func loading<Model: AnyObject>(_ flag: ReferenceWritableKeyPath<Model, Bool>, on model: Model) -> Request {
        let flag = LoadingFlag(flag, of: model)
        options.indicators.append(LoadingIndicator { _ in flag.raise() })
        return self
    }

    /// Has a message shown while a run of the request is under way, by the client's ``ActivityPresenter``.
    ///
    /// - Parameters:
    ///   - message: What is shown; "" is an indicator without words.
    ///   - modal: Whether the user can do nothing else meanwhile.
    ///   - priority: Which message is shown if there are several.
    public consuming func loadMessage(
        _ message: String = "",
        modal: Bool = false,
        priority: ActivityMessage.Priority = .normal
    ) -> Request {
        options.indicators.append(
            LoadingIndicator { client in
                let messages = client.messages
                let id = messages.add(message, isModal: modal, priority)
                return { messages.remove(id) }
            })
        return self
    }
}
