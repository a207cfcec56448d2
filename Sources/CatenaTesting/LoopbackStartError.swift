#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension LoopbackServer {
    /// Why a server could not be started: almost always a process without free descriptors.
    public struct StartError: Error, Sendable, CustomStringConvertible {
        /// The system call that failed.
        public let operation: String

        /// Its `errno`.
        public let code: Int32

        /// Must be made right after the call that failed, before anything else changes `errno`.
        init(operation: String) {
            self.operation = operation
            self.code = errno
        }

        /// The call and the system's words for the failure.
        public var description: String {
            "the loopback server could not start: \(operation): \(String(cString: strerror(code)))"
        }
    }
}
