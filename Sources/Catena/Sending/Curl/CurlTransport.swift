#if os(Linux) && canImport(Glibc)
import CatenaPlatform

/// Sends requests over libcurl, which is loaded at the first call. A few threads, often one, drive any number of transfers.
///
/// On Linux, a client uses this transport if no other is configured.
public final class CurlTransport: Transport, OwnTransport, SecretHolder {
    /// The reason why a transport cannot be made.
    public struct Unavailable: Error, CustomStringConvertible {
        public let description: String
    }

    private let engines: CurlEngines

    /// Makes a transport with its own threads and connections, which are released with the transport.
    ///
    /// - Throws: ``Unavailable`` if there is no usable libcurl, or if ``CurlConfiguration/loops`` is not 1 to 64.
    public init(_ configuration: CurlConfiguration = CurlConfiguration()) throws(Unavailable) {
        if let fallbackReason = CurlLibrary.fallbackReason { throw Unavailable(description: fallbackReason) }
        guard (1...64).contains(configuration.loops) else {
            throw Unavailable(description: "loops is \(configuration.loops), and must be 1 to 64")
        }
        guard let engines = CurlEngines(configuration) else { throw Unavailable(description: "the system gave no descriptors") }
        self.engines = engines
    }

    package var secretValues: [String] { engines.secretValues }

    /// Whether all connections use a Unix socket, so that no name is looked up.
    var usesUnixSocket: Bool { engines.configuration.unixSocketPath != nil }

    /// Performs an action whenever one of the current loops has ended.
    func onLoopEnd(_ action: @escaping @Sendable () -> Void) { engines.onLoopEnd(action) }

    /// The number of loops made so far, including those of exclusive connections.
    var loopCount: Int { engines.count }

    package var engine: TransportEngine { .curl }

    public func send(_ request: HTTPRequest) async throws -> TransportResponse {
        try await open(request, stopper: nil)
    }

    public func send(_ request: HTTPRequest, in context: TransferContext) async throws -> TransportResponse {
        guard let limit = context.limit, let stopper = context.stopper else { return try await open(request, stopper: context.stopper) }
        return try await collect(stopper.sent(request), limit: limit, stopper: stopper)
    }

    private func open(_ request: HTTPRequest, stopper: TransferStopper?) async throws -> TransportResponse {
        try Task.checkCancellation()
        let (transfer, loop) = try await transfer(for: request, isStreamed: true)
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                transfer.answer(to: .head(continuation), heeding: stopper)
                stopper?.onPhase { [loop] reply in loop.describe(transfer, to: reply) }
                loop.start(transfer)
            }
        } onCancel: {
            loop.stop(transfer, with: CancellationError())
        }
    }

    @inline(__always)
    private func collect(_ request: HTTPRequest, limit: Int, stopper: TransferStopper) async throws -> TransportResponse {
        try Task.checkCancellation()
        let (transfer, loop) = try await transfer(for: request, isStreamed: false, heeding: stopper)
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                transfer.answer(to: .whole(continuation, limit: limit), heeding: stopper)
                loop.start(transfer)
                stopper.watch { [loop] error in loop.stop(transfer, with: error) }
            }
        } onCancel: {
            loop.stop(transfer, with: CancellationError())
        }
        transfer.handOver()
        return transfer.response
    }

    private func transfer(
        for request: HTTPRequest, isStreamed: Bool, heeding stopper: TransferStopper? = nil
    ) async throws -> (CurlTransfer, CurlLoop) {
        guard request.bodySource?.length != 0 else {
            return try await transfer(for: request.withEmptyBody(), isStreamed: isStreamed, heeding: stopper)
        }
        guard request.routing != nil || !CurlLibrary.leavesLookUps else {
            return try transfer(for: request, by: nil, isStreamed: isStreamed)
        }
        try request.routing?.check()
        try request.checkHead()
        let proxy = engines.proxy(for: request.address.place)
        let route = try await route(for: request, proxy: proxy, heeding: stopper)
        return try transfer(for: request, by: route, isStreamed: isStreamed)
    }

    private func transfer(for request: HTTPRequest, by route: CurlRoute?, isStreamed: Bool) throws -> (CurlTransfer, CurlLoop) {
        let origin = request.address.origin
        let isAlone =
            needsOwnConnection(request, isStreamed: isStreamed) || engines.requiresHTTP1(origin)
        // HTTP/2 is only negotiated over TLS.
        let freedom: CurlSeat.Freedom =
            isAlone ? .none : request.address.scheme != "https" || engines.isExclusive(origin) ? .full : .whenKnown
        let (engine, seat) = try engines.seat(for: origin, sharesConnections: !isAlone, freedom)
        do {
            // A body that is read piece by piece may be long, and libcurl delivers whole frames of a shared connection.
            let isLengthGuessed = !isStreamed && freedom == .full
            let setup = try CurlSetup(request, to: origin, on: engine, by: route, isLengthGuessed: isLengthGuessed)
            return (try CurlTransfer(setup, seat), engine.loop)
        } catch {
            seat.leave()
            throw error
        }
    }
}

extension CurlTransfer {
    /// The continuation that waits for the response, and the part of the response that it needs.
    enum Reader {
        case head(UnsafeContinuation<TransportResponse, any Error>)
        /// The response is in ``CurlTransfer/response``.
        case whole(UnsafeContinuation<Void, any Error>, limit: Int)
    }
}

extension CurlTransport {
    /// The number of bytes that a server accepts over HTTP/2 before it responds (RFC 9113 §6.9.2).
    private static let initialWindow = 65_535

    /// Returns whether a request uses an exclusive connection over HTTP/1.1.
    private func needsOwnConnection(_ request: HTTPRequest, isStreamed: Bool) -> Bool {
        let version = request.routing?.version
        if version == .http1 { return true }
        // Without TLS the server speaks no other version than the demanded one.
        guard request.address.scheme == "https" else { return version != nil && version != .automatic && isStreamed }
        if version == .http2 || version == .http3 { return isStreamed || request.headLength > CurlEngine.longestSharedHead }
        // On a shared connection, a slow reader delays the others, or libcurl buffers the unread bytes: 32 MiB and more.
        if isStreamed || request.headLength > CurlEngine.longestSharedHead { return true }
        // A server may respond without reading a long body. Over HTTP/2 libcurl then does not report that the response is complete.
        return request.bodySource != nil || (request.body?.count ?? 0) > Self.initialWindow
    }
}

extension RequestRouting {
    /// - Throws: An ``APIError`` if this libcurl does not speak the version of HTTP.
    fileprivate func check() throws {
        let isSpoken =
            switch version {
            case .http2: CurlLibrary.speaksHTTP2
            case .http3: CurlLibrary.speaksHTTP3
            default: true
            }
        guard !isSpoken else { return }
        throw APIError.invalid("httpVersion", "the libcurl of this system (\(CurlLibrary.versionText)) does not speak \(version) here")
    }
}

extension HTTPRequest {
    /// - Throws: An ``APIError`` if HTTP/2 without TLS is demanded for a head that libcurl cannot send over it.
    fileprivate func checkHead() throws {
        guard address.scheme == "http", routing?.version == .http2, headLength > CurlEngine.longestSharedHead else { return }
        throw APIError(
            .invalidRequest,
            message: """
                The address and the headers have \(headLength) bytes, and over HTTP/2 without TLS at most \(CurlEngine.longestSharedHead) are sent.
                """)
    }

    /// Returns the request with an empty body instead of an empty source, which libcurl would never read.
    ///
    /// - Throws: The error of reading the source, for example because it has bytes after all.
    fileprivate func withEmptyBody() async throws -> HTTPRequest {
        var request = self
        if let source = bodySource {
            for try await _ in source {}
        }
        request.bodySource = nil
        request.body = Data()
        return request
    }

    /// The approximate number of bytes of the address and the headers.
    var headLength: Int {
        let target = address.path.utf8.count + (address.query?.utf8.count ?? 0)
        return headers.fields.reduce(target) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
}
#endif
