#if os(Linux)
import CCurl
import Synchronization

/// Keeps libcurl's handles for further requests: making one and freeing it again, on another thread at that, costs more than a small
/// request does otherwise.
final class CurlHandles: Sendable {
    /// Each holds about 20 KB after its first use.
    private static let mostKept = 64

    private let configuration: CurlConfiguration
    private let sharesConnections: Bool
    /// As numbers, since pointers are not `Sendable`; who takes one out is the only one who has it.
    private let kept = Mutex<[UInt]>([])

    init(_ configuration: CurlConfiguration, sharesConnections: Bool) {
        self.configuration = configuration
        self.sharesConnections = sharesConnections
    }

    deinit {
        for number in kept.withLock({ $0 }) {
            if let easy = OpaquePointer(bitPattern: number) { catena_easy_cleanup(easy) }
        }
    }

    /// A handle that is set up for a request; `nil` if there is no memory for one.
    func take(for request: HTTPRequest) -> CurlHandle? {
        let used = kept.withLock { $0.popLast() }.flatMap { OpaquePointer(bitPattern: $0) }
        guard var handle = used.map({ CurlHandle(used: $0) }) ?? CurlHandle(configuration, sharesConnections: sharesConnections) else {
            return nil
        }
        handle.prepare(request, configuration, sharesConnections: sharesConnections)
        return handle
    }

    /// Takes back a handle that libcurl does not work with any more.
    func giveBack(_ handle: CurlHandle) {
        var handle = handle
        handle.clear()
        let number = UInt(bitPattern: handle.easy)
        let isKept = kept.withLock { kept in
            guard kept.count < Self.mostKept else { return false }
            kept.append(number)
            return true
        }
        if !isKept { catena_easy_cleanup(handle.easy) }
    }
}
#endif
