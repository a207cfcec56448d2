import Glibc

/// A lock that ends the process, as Apple's does, if its owner locks it again.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    private final class Storage {
        let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        var state: State

        init(_ state: State) {
            self.state = state
            var attributes = pthread_mutexattr_t()
            pthread_mutexattr_init(&attributes)
            pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
            pthread_mutex_init(mutex, &attributes)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }
    }

    private let storage: Storage

    public init(uncheckedState initialState: State) {
        storage = Storage(initialState)
    }

    public func withLockUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        precondition(pthread_mutex_lock(storage.mutex) == 0, "this thread has the lock already")
        defer { pthread_mutex_unlock(storage.mutex) }
        return try body(&storage.state)
    }
}

public enum OSLogPrivacy: Sendable {
    case `public`, `private`, auto
}

/// A message as the log shows it without a debugger: only public values are readable.
public struct OSLogMessage: ExpressibleByStringInterpolation {
    public struct StringInterpolation: StringInterpolationProtocol {
        var text = ""

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { text += literal }

        public mutating func appendInterpolation(_ argument: @autoclosure @escaping () -> String, privacy: OSLogPrivacy = .auto) {
            text += privacy == .public ? argument() : "<private>"
        }
    }

    let text: String

    public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    public init(stringLiteral value: String) { text = value }
}

public struct Logger: Sendable {
    private static let written = OSAllocatedUnfairLock<[String]>(uncheckedState: [])

    /// The lines of all loggers: subsystem, category and message.
    public static var lines: [String] { written.withLockUnchecked { $0 } }

    private let name: String

    public init(subsystem: String, category: String) { name = "\(subsystem) \(category): " }

    public func info(_ message: OSLogMessage) {
        Self.written.withLockUnchecked { $0.append(name + message.text) }
    }
}
