#if CATENA_TSAN
import Foundation

/// Stands in for `Synchronization.Mutex` in builds for the thread sanitizer, which cannot see that one: on Linux the kernel hands a
/// contended one over, so that every access behind it looks like a race. POSIX mutexes are seen.
///
/// The proof for `@unchecked Sendable`: the value is reached through `withLock` only, whose body runs with the mutex held, and both
/// allocations live exactly as long as this struct.
struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    init(_ initialValue: consuming sending Value) {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        value = .allocate(capacity: 1)
        value.initialize(to: initialValue)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}
#endif
