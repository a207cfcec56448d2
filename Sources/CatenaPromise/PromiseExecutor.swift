public import Dispatch

/// Where a handler runs.
@usableFromInline
package enum PromiseExecutor: Sendable {
    /// On the thread that settles the promise.
    case inline
    /// On the thread that settles the promise, before anything else: for reactions that run no user code.
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

    /// Whether handlers get there by a hop.
    var isElsewhere: Bool {
        switch self {
        case .inline, .direct: false
        case .main, .queue: true
        }
    }

    /// The executor of a queue that a caller names.
    package static func on(_ queue: DispatchQueue) -> PromiseExecutor {
        queue.label == mainLabel ? .main : .queue(queue)
    }

    private static let mainLabel = DispatchQueue.main.label

    static func == (left: PromiseExecutor, right: PromiseExecutor) -> Bool {
        switch (left, right) {
        case (.inline, .inline), (.main, .main): true
        case (.queue(let left), .queue(let right)):
            // On Linux the system's own queues are wrapped anew each time; their names are theirs alone.
            left === right || left.label.hasPrefix("com.apple.root.") && left.label == right.label
        default: false
        }
    }
}
