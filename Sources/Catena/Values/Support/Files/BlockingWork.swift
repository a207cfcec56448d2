import Dispatch

/// Runs system calls that may wait for a disk, outside of Swift's thread pool, whose threads must not block.
package enum BlockingWork {
    private static let queue = DispatchQueue(label: "catena.files", attributes: .concurrent)

    package static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withUnsafeThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }
}
