/// What an app shows while a call is active.
public struct ActivityMessage: Sendable, Hashable, Identifiable {
    /// Which message is shown if there are several.
    public enum Priority: Int, Sendable, Comparable, CaseIterable {
        /// Gives way to messages of every other priority.
        case low
        /// Gives way to messages of high priority only.
        case normal
        /// Takes the place of messages of lower priority.
        case high

        public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
    }

    /// Tells messages apart, also those with the same text.
    public let id: UInt64
    /// What is shown; "" is an indicator without words.
    public let text: String
    /// Whether the user can do nothing else meanwhile.
    public let isModal: Bool
    /// The priority of the message over others.
    public let priority: Priority
}

/// Shows the messages of active calls in an app's own style.
///
/// ```swift
/// final class Overlay: ActivityPresenter {
///     func present(_ message: ActivityMessage?) {
///         if let message { show(message.text, blocking: message.isModal) } else { hide() }
///     }
/// }
///
/// API.calls.presenter = Overlay()
/// ```
@MainActor
public protocol ActivityPresenter: AnyObject {
    /// Shows a message in place of the one before; `nil`: there is none any more.
    func present(_ message: ActivityMessage?)
}

/// The messages of calls under way. Pure.
///
/// One is shown at a time: that of the highest priority, of several the oldest. One that has to give way comes back later, if its call is
/// still under way.
struct ActivityQueue: Sendable {
    private var messages: [ActivityMessage] = []
    private var nextID: UInt64 = 0

    /// What is to be shown.
    var shown: ActivityMessage? {
        // Of equals `max` would give the last one.
        messages.reduce(nil) { best, next in
            guard let best, best.priority >= next.priority else { return next }
            return best
        }
    }

    mutating func add(_ text: String, isModal: Bool, _ priority: ActivityMessage.Priority) -> ActivityMessage.ID {
        nextID += 1
        messages.append(ActivityMessage(id: nextID, text: text, isModal: isModal, priority: priority))
        return nextID
    }

    mutating func remove(_ id: ActivityMessage.ID) {
        messages.removeAll { $0.id == id }
    }
}

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
    /// What the calls under way have to say.
    var messages: ActivityMessages { companion { ActivityMessages() } }
}
