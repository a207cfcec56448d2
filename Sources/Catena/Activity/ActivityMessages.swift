/// Hands the messages of a client's calls to who shows them.
@MainActor
final class ActivityMessages {
    var presenter: (any ActivityPresenter)? {
        didSet {
            guard presenter !== oldValue else { return }
            if shown != nil {
                oldValue?.present(nil)
                presenter?.present(shown)
            }
        }
    }

    private var queue = ActivityQueue()
    private var shown: ActivityMessage?

    nonisolated init() {}

    func add(_ text: String, isModal: Bool, _ priority: ActivityMessage.Priority) -> ActivityMessage.ID {
        let id = queue.add(text, isModal: isModal, priority)
        update()
        return id
    }

    func remove(_ id: ActivityMessage.ID) {
        queue.remove(id)
        update()
    }

    private func update() {
        guard queue.shown != shown else { return }
        shown = queue.shown
        presenter?.present(shown)
    }
}

extension Client {
    /// Who shows the messages that ``Request/loadMessage(_:modal:priority:)`` asks for; without one there are none. It is kept alive.
    ///
    /// A new one is told at once what is to be shown, and the former one that nothing is.
    @MainActor public var activityPresenter: (any ActivityPresenter)? {
        get { messages.presenter }
        set { messages.presenter = newValue }
    }
}
