#if os(Linux)
import Foundation
import Synchronization

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
        if let obstacle = CurlLibrary.obstacle { throw Unavailable(description: obstacle) }
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

    func collect(_ request: HTTPRequest, limit: Int, interruption: Interruption) async throws -> HTTPResponse {
        try Task.checkCancellation()
        let engine = try engine(for: request, isStreamed: false)
        let transfer = try CurlTransfer(request, on: engine)
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                transfer.answer(to: .whole(continuation, limit: limit), telling: interruption.silence)
                engine.loop.start(transfer)
                interruption.watch { [loop = engine.loop] error in loop.stop(transfer, with: error) }
            }
        } onCancel: {
            engine.loop.stop(transfer, with: CancellationError())
        }
    }

    /// A streamed answer over TLS has a connection for itself, since on a shared one a reader who takes his time holds up the others, or
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
