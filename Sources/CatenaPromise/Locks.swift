#if canImport(Darwin)
public import os
#else
public import Synchronization
#endif

#if CATENA_TSAN && !canImport(Darwin)
import CatenaPlatform
#endif

// All locks and atomics of Catena and its modules are of these three types. They are transparent like the types beneath, because a call left
// over would request metadata at run time, which takes longer than the lock. `@inlinable` extends that to other modules.

#if canImport(Darwin)
/// A value behind a lock. Uses the system's own lock, because `Synchronization` requires newer systems.
@usableFromInline
package struct Mutex<Value>: Sendable {
    @usableFromInline let lock: OSAllocatedUnfairLock<Value>

    @inlinable
    package init(_ value: consuming sending Value) {
        lock = OSAllocatedUnfairLock(uncheckedState: value)
    }

    // Unchecked, because the compiler checks the same code on Linux with `Synchronization.Mutex`.
    @inlinable
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLockUnchecked(body)
    }
}

/// A number that several threads change.
@usableFromInline
package struct AtomicCounter: Sendable {
    @usableFromInline let number: Mutex<Int>

    @inlinable
    package init(_ count: Int = 0) {
        number = Mutex(count)
    }

    @inlinable package var count: Int { number.withLock { $0 } }

    /// Adds a number and returns the new count.
    @inlinable
    @discardableResult
    package func add(_ difference: Int) -> Int {
        number.withLock { number in
            number &+= difference
            return number
        }
    }
}

/// A Boolean that several threads read and change.
@usableFromInline
package struct AtomicFlag: Sendable {
    @usableFromInline let flag: Mutex<Bool>

    @inlinable
    package init(_ isSet: Bool = false) {
        flag = Mutex(isSet)
    }

    @inlinable package var isSet: Bool { flag.withLock { $0 } }

    /// Sets the flag and returns its former value.
    @inlinable
    @discardableResult
    package func set(_ value: Bool = true) -> Bool {
        flag.withLock { flag in
            defer { flag = value }
            return flag
        }
    }
}
#else
/// A value behind a lock.
@usableFromInline
package struct Mutex<Value: ~Copyable>: ~Copyable, Sendable {
    #if CATENA_TSAN
    @usableFromInline let lock: VisibleMutex<Value>
    #else
    @usableFromInline let lock: Synchronization.Mutex<Value>
    #endif

    @inlinable @_transparent
    package init(_ value: consuming sending Value) {
        lock = .init(value)
    }

    @inlinable @_transparent
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try lock.withLock(body)
    }
}

/// A number that several threads change.
@usableFromInline
package struct AtomicCounter: ~Copyable, Sendable {
    @usableFromInline let number: Atomic<Int>

    @inlinable @_transparent
    package init(_ count: Int = 0) {
        number = Atomic(count)
    }

    @inlinable @_transparent package var count: Int { number.load(ordering: .acquiring) }

    /// Adds a number and returns the new count.
    @inlinable @_transparent
    @discardableResult
    package func add(_ difference: Int) -> Int {
        number.wrappingAdd(difference, ordering: .acquiringAndReleasing).newValue
    }
}

/// A Boolean that several threads read and change.
@usableFromInline
package struct AtomicFlag: ~Copyable, Sendable {
    @usableFromInline let flag: Atomic<Bool>

    @inlinable @_transparent
    package init(_ isSet: Bool = false) {
        flag = Atomic(isSet)
    }

    @inlinable @_transparent package var isSet: Bool { flag.load(ordering: .acquiring) }

    /// Sets the flag and returns its former value.
    @inlinable @_transparent
    @discardableResult
    package func set(_ value: Bool = true) -> Bool {
        flag.exchange(value, ordering: .acquiringAndReleasing)
    }
}
#endif

#if CATENA_TSAN && !canImport(Darwin)
/// Replaces `Synchronization.Mutex` in builds for the thread sanitizer, which cannot see that type. The Linux kernel hands a contended one over,
/// so that every later access looks like a race. The sanitizer sees POSIX mutexes.
///
/// The proof for `@unchecked Sendable`: the value is reached through `withLock` only, whose body runs with the mutex held. Both allocations live
/// exactly as long as this struct.
@usableFromInline
struct VisibleMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    @usableFromInline
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

    @usableFromInline
    borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}
#endif
