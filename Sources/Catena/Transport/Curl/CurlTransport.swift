#if os(Linux)
import Foundation

/// Carries requests over libcurl, which Foundation brings along on Linux: one thread for any number of transfers.
///
/// It is what a client uses on Linux unless it is given another transport.
public final class CurlTransport: Transport, CollectingTransport {
    /// Why a transport could not be made.
    public struct Unavailable: Error, CustomStringConvertible {
        public let description: String
    }

    private let shared: CurlEngine
    /// For what needs connections that are not shared; made when it is needed first.
    private let exclusive = Mutex<CurlEngine?>(nil)
    private let configuration: CurlConfiguration

    /// Makes a transport with a thread and connections of its own, which are given back when it is dropped.
    ///
    /// - Throws: ``Unavailable`` if there is no libcurl that it could use.
    public init(_ configuration: CurlConfiguration = CurlConfiguration()) throws(Unavailable) {
        if let fallbackReason = CurlLibrary.fallbackReason { throw Unavailable(description: fallbackReason) }
        guard let shared = CurlEngine(configuration) else { throw Unavailable(description: "the system gave no descriptors") }
        self.shared = shared
        self.configuration = configuration
    }

    public func send(_ request: HTTPRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        let engine = try engine(for: request, isStreamed: true)
        let transfer = try CurlTransfer(request, on: engine)
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                transfer.answer(to: .head(continuation))
                engine.loop.start(transfer)
            }
        } onCancel: {
            engine.loop.stop(transfer, with: CancellationError())
        }
    }

    func collect(_ request: HTTPRequest, limit: Int, interruption: TransferStopper) async throws -> HTTPResponse {
        try Task.checkCancellation()
        let engine = try engine(for: request, isStreamed: false)
        let transfer = try CurlTransfer(request, on: engine)
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                transfer.answer(to: .whole(continuation, limit: limit), notifying: interruption.silence, until: interruption.deadline)
                engine.loop.start(transfer)
                interruption.watch { [loop = engine.loop] error in loop.stop(transfer, with: error) }
            }
        } onCancel: {
            engine.loop.stop(transfer, with: CancellationError())
        }
    }

    var keepsDeadlines: Bool { true }

    /// A streamed response over TLS has a connection for itself, since on a shared one a reader who takes his time holds up the others, or
    /// libcurl keeps for him what he has not read: 32 MiB and more.
    private func engine(for request: HTTPRequest, isStreamed: Bool) throws -> CurlEngine {
        guard request.address.scheme == "https", isStreamed || request.headLength > CurlEngine.longestSharedHead else { return shared }
        return try exclusive.withLock { engine in
            if let engine { return engine }
            guard let made = CurlEngine(configuration, sharesConnections: false) else {
                throw APIError(.connect, message: "The system gave no descriptors for another connection.")
            }
            engine = made
            return made
        }
    }
}
#endif

#if os(Linux)
/// A loop, and how the handles that it works with are set up.
///
/// Shared and exclusive connections to one host must not be in one loop: libcurl sometimes puts a second request on an HTTP/1.1 connection
/// that is busy if it has seen the host speak HTTP/2 elsewhere.
final class CurlEngine: Sendable {
    /// In bytes. More than this in all does not fit into an HTTP/2 request of libcurl's.
    static let longestSharedHead = 60_000

    let loop: CurlLoop
    private let configuration: CurlConfiguration
    private let sharesConnections: Bool

    /// - Parameter sharesConnections: Whether several requests may be on one connection at a time (HTTP/2).
    init?(_ configuration: CurlConfiguration, sharesConnections: Bool = true) {
        guard let loop = CurlLoop(configuration) else { return nil }
        self.configuration = configuration
        self.sharesConnections = sharesConnections
        self.loop = loop
    }

    /// A handle for one transfer.
    func handle(for request: HTTPRequest, isOnNewConnection: Bool = false) throws -> CurlHandle {
        try CurlHandle(request, configuration, sharesConnections: sharesConnections, isOnNewConnection: isOnNewConnection)
    }

    deinit {
        loop.close()
    }
}

extension HTTPRequest {
    /// About how many bytes the address and the headers take.
    var headLength: Int {
        let target = address.path.utf8.count + (address.query?.utf8.count ?? 0)
        return headers.fields.reduce(target) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
}
#endif

#if os(Linux)
import CCurl

extension CallTimings {
    /// What libcurl has measured of a transfer.
    ///
    /// - Parameters:
    ///   - queue: How long it has waited before libcurl got it.
    ///   - isOver: Whether there is more to come than the head.
    init(of easy: OpaquePointer, queue: Duration, isOver: Bool) {
        self.init()
        func time(_ info: Int32) -> Int64 { catena_easy_get_size(easy, info) }
        self.queue = queue
        // What libcurl did not come to has no time.
        let firstByte = time(CurlLibrary.Info.firstByte)
        if firstByte > 0 {
            self.firstByte = .microseconds(max(firstByte - time(CurlLibrary.Info.readyToSend), 0))
            if isOver { transfer = .microseconds(max(time(CurlLibrary.Info.total) - firstByte, 0)) }
        }
        // A connection that is used again was not made in this transfer.
        guard catena_easy_get_long(easy, CurlLibrary.Info.newConnections) > 0 else { return }
        let (lookedUp, connected) = (time(CurlLibrary.Info.lookedUp), time(CurlLibrary.Info.connected))
        if lookedUp > 0 { dns = .microseconds(lookedUp) }
        guard connected > 0 else { return }
        connect = .microseconds(max(connected - lookedUp, 0))
        let encrypted = time(CurlLibrary.Info.encrypted)
        if encrypted > 0 { tls = .microseconds(max(encrypted - connected, 0)) }
    }
}
#endif
