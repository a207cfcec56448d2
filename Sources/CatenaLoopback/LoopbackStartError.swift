#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
#error("The C library of this platform is not known.")
#endif

extension LoopbackServer {
    /// Why a server could not be started: almost always a process without free descriptors, or a system without what TLS needs.
    public struct StartError: Error, Sendable, CustomStringConvertible {
        /// What failed: the name of a system call, or "TLS".
        public let operation: String

        /// Its `errno`.
        public let code: Int32

        private let reason: String

        /// Must be made right after the call that failed, before anything else changes `errno`.
        init(operation: String) {
            self.operation = operation
            code = errno
            reason = String(cString: strerror(code))
        }

        /// TLS that cannot be offered here.
        init(security reason: String) {
            operation = "TLS"
            code = ENOTSUP
            self.reason = reason
        }

        /// What failed, and why.
        public var description: String {
            "the loopback server could not start: \(operation): \(reason)"
        }
    }
}
