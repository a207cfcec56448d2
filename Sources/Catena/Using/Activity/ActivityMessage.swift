/// A message that an app shows while a call is active.
public struct ActivityMessage: Sendable, Hashable, Identifiable {
    /// The rank of a message, because only one message is shown at a time.
    public enum Priority: Int, Sendable, Comparable, CaseIterable {
        /// Shown only if no message of another priority is present.
        case low
        /// Shown unless a message of high priority is present.
        case normal
        /// Shown in place of messages of lower priority.
        case high

        public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
    }

    /// A number that identifies the message, also among messages with the same text.
    public let id: UInt64
    /// The text, or "" for an indicator without text.
    public let text: String
    /// Whether the message blocks all other user interaction.
    public let isModal: Bool
    /// The rank of the message.
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
    /// Shows a message in place of the previous one, or none if it is `nil`.
    func present(_ message: ActivityMessage?)
}

/// The messages of active calls. Pure.
///
/// One message is shown at a time: the oldest of the highest priority. A message that was replaced is shown again if its call is still
/// active.
struct ActivityQueue: Sendable {
    private var messages: [ActivityMessage] = []
    private var nextID: UInt64 = 0

    /// The message to show.
    var shown: ActivityMessage? {
        // `max` would return the last of equal messages.
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

/// Passes the messages of a client's calls to the presenter.
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
