public import Dispatch

/// The executor of a handler.
@usableFromInline
package enum PromiseExecutor: Sendable {
    /// The thread that settles the promise.
    case inline
    /// The thread that settles the promise, before all other reactions. For reactions that run no user code.
    case direct
    case main
    case queue(DispatchQueue)

    func async(_ work: @escaping @Sendable () -> Void) {
        switch self {
        case .inline, .direct: work()
        case .main: DispatchQueue.main.async(execute: work)
        case .queue(let queue): queue.async(execute: work)
        }
    }

    /// Whether handlers need a hop to their executor.
    var isElsewhere: Bool {
        switch self {
        case .inline, .direct: false
        case .main, .queue: true
        }
    }

    /// Returns the executor of a queue.
    package static func on(_ queue: DispatchQueue) -> PromiseExecutor {
        queue.label == mainLabel ? .main : .queue(queue)
    }

    private static let mainLabel = DispatchQueue.main.label

    static func == (left: PromiseExecutor, right: PromiseExecutor) -> Bool {
        switch (left, right) {
        case (.inline, .inline), (.main, .main): true
        case (.queue(let left), .queue(let right)):
            // Linux wraps the global queues anew each time, so they are compared by their labels, which are reserved.
            left === right || left.label.hasPrefix("com.apple.root.") && left.label == right.label
        default: false
        }
    }
}
