#if canImport(Darwin)
import Foundation
#elseif canImport(Glibc)
import Dispatch
import Glibc
#elseif canImport(Musl)
import Dispatch
import Musl
#elseif canImport(Android)
import Android
import Dispatch
#endif

/// A thread of the system, for a loop that blocks. Foundation's essentials have none.
package enum SystemThread {
    /// The number of the current thread, which no other running thread has.
    package static var current: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: ObjectIdentifier(Thread.current))
        #else
        UInt(pthread_self())
        #endif
    }

    /// Runs a closure on a new thread.
    ///
    /// - Parameter stackSize: The bytes of the stack.
    package static func run(stackSize: Int, _ body: @escaping @Sendable () -> Void) {
        #if canImport(Darwin)
        let thread = Thread(block: body)
        thread.stackSize = stackSize
        thread.start()
        #else
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackSize)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // The thread takes the retained work, and releases it when the work is done.
        let work = Unmanaged.passRetained(ThreadWork(body: body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { context in
                if let context { withExtendedLifetime(Unmanaged<ThreadWork>.fromOpaque(context).takeRetainedValue()) { $0.body() } }
                return nil
            }, work.toOpaque())
        guard code != 0 else { return }
        // The system has no thread left, so that one of a queue does the work.
        work.release()
        DispatchQueue.global().async(execute: body)
        #endif
    }
}

#if !canImport(Darwin)
private final class ThreadWork: Sendable {
    let body: @Sendable () -> Void

    init(body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}
#endif
