import CatenaPlatform

extension LoopbackServer {
    /// The reason why a server could not start: almost always a process without free descriptors, or a system that lacks what TLS needs.
    public struct StartError: Error, Sendable, CustomStringConvertible {
        /// The name of the system call that failed, or "TLS".
        public let operation: String

        /// The `errno` of the failure.
        public let code: Int32

        private let reason: String

        /// Creates the error of a system call. Must be called right after that call, before `errno` changes.
        init(operation: String) {
            self.operation = operation
            code = errno
            reason = String(cString: strerror(code))
        }

        /// Creates the error of TLS that this system does not offer.
        init(security reason: String) {
            operation = "TLS"
            code = ENOTSUP
            self.reason = reason
        }

        /// The operation that failed, and the reason.
        public var description: String {
            "the loopback server could not start: \(operation): \(reason)"
        }
    }
}
