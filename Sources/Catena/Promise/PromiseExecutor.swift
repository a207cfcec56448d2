public import Dispatch

/// Where a handler runs.
@usableFromInline
enum PromiseExecutor: Sendable {
    /// On the thread that settles the promise.
    case inline
    case main
    case queue(DispatchQueue)

    func async(_ work: @escaping @Sendable () -> Void) {
        switch self {
        case .inline: work()
        case .main: DispatchQueue.main.async(execute: work)
        case .queue(let queue): queue.async(execute: work)
        }
    }

    static func == (left: PromiseExecutor, right: PromiseExecutor) -> Bool {
        switch (left, right) {
        case (.inline, .inline), (.main, .main): true
        case (.queue(let left), .queue(let right)): left === right
        default: false
        }
    }
}
