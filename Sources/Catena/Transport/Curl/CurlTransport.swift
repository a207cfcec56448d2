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

    private let handles: CurlHandles
    private let loop: CurlLoop

    /// Makes a transport with a thread and connections of its own, which are given back when it is dropped.
    ///
    /// - Throws: ``Unavailable`` if there is no libcurl that it could use.
    public init(_ configuration: CurlConfiguration = CurlConfiguration()) throws(Unavailable) {
        if let obstacle = CurlLibrary.obstacle { throw Unavailable(description: obstacle) }
        guard let loop = CurlLoop(configuration) else { throw Unavailable(description: "the system gave no descriptors") }
        handles = CurlHandles(configuration)
        self.loop = loop
    }

    deinit {
        loop.close()
    }

    public func send(_ request: HTTPRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        let transfer = try CurlTransfer(request, handles: handles, loop: loop)
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                transfer.answer(to: .head(continuation))
                loop.start(transfer)
            }
        } onCancel: {
            loop.stop(transfer, with: CancellationError())
        }
    }

    func collect(_ request: HTTPRequest, limit: Int, interruption: Interruption) async throws -> HTTPResponse {
        try Task.checkCancellation()
        let transfer = try CurlTransfer(request, handles: handles, loop: loop)
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                transfer.answer(to: .whole(continuation, limit: limit), telling: interruption.silence)
                loop.start(transfer)
                interruption.watch { [loop] error in loop.stop(transfer, with: error) }
            }
        } onCancel: {
            loop.stop(transfer, with: CancellationError())
        }
    }
}
#endif
