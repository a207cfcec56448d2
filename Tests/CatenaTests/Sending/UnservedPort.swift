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

/// A port on 127.0.0.1 without a server. The system gives it to no other socket as long as this object exists.
final class UnservedPort {
    enum Manner {
        /// Attempts to connect are refused.
        case closed
        /// The system accepts connections, but no server ever reads from them or writes to them.
        case silent
    }

    var port: Int { bound.port }
    private let bound: BoundSocket

    init?(_ manner: Manner) {
        guard let bound = BoundSocket() else { return nil }
        self.bound = bound
        _ = fcntl(bound.descriptor, F_SETFL, O_NONBLOCK)
        if manner == .silent, !bound.accepts(queueing: 128) { return nil }
    }

    deinit {
        close(bound.descriptor)
    }
}
