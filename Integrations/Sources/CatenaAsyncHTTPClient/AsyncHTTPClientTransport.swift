public import AsyncHTTPClient
public import Catena
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression

/// Sends requests with async-http-client instead of libcurl or `URLSession`.
///
/// ```swift
/// var configuration = HTTPClient.Configuration()
/// configuration.proxy = .server(host: "proxy.example.com", port: 3128)
/// let client = Client(transport: AsyncHTTPClientTransport(configuration))
/// ```
///
/// The transport creates its own `HTTPClient`, because Catena needs three settings: redirects are not followed, connection attempts are not repeated, and
/// bodies are decompressed. All other settings are yours. The client is shut down by ``shutdown()``, or when the transport is released.
public final class AsyncHTTPClientTransport: Transport {
    private let client: HTTPClient

    /// The time limit for the head of a response. Catena applies the call's limits, which are much shorter.
    private static let longestWait = TimeAmount.hours(24)
    /// The codings that are decompressed.
    private static let codings = "gzip, deflate"

    /// Makes a transport with its own connections.
    ///
    /// - Parameters:
    ///   - configuration: The settings. Those for redirects, decompression and repeated connection attempts are ignored.
    ///   - eventLoopGroup: The threads. By default those that async-http-client shares in the process.
    public init(
        _ configuration: HTTPClient.Configuration = HTTPClient.Configuration(),
        eventLoopGroup: HTTPClient.EventLoopGroupProvider = .singleton
    ) {
        var configuration = configuration
        configuration.redirectConfiguration = .disallow
        // No limit here, because `bodyLimit` limits the size, with a value for each tag.
        configuration.decompression = .enabled(limit: .none)
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: eventLoopGroup, configuration: configuration)
    }

    deinit {
        // After `shutdown()` this fails without an effect. The client lives until its shutdown ends.
        client.shutdown { _ in }
    }

    /// Closes all connections. Active requests fail, and later requests fail with an error that names the shutdown.
    public func shutdown() async throws {
        try await client.shutdown()
    }

    public func send(_ request: Catena.HTTPRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        do {
            let response = try await client.execute(Self.outgoing(request), deadline: .now() + Self.longestWait)
            let headers = response.headers.map { Catena.HTTPHeaders.Field(name: $0.name, value: $0.value) }
            return TransportResponse(
                status: Int(response.status.code), headers: Catena.HTTPHeaders(headers),
                body: TransportBody(ReceivedBody(body: response.body, transport: self)))
        } catch {
            throw ClientFailure.error(error)
        }
    }

    private static func outgoing(_ request: Catena.HTTPRequest) -> HTTPClientRequest {
        var outgoing = HTTPClientRequest(url: request.address.text)
        outgoing.method = NIOHTTP1.HTTPMethod(rawValue: request.method.name)
        outgoing.headers = NIOHTTP1.HTTPHeaders(request.headers.fields.map { ($0.name, $0.value) })
        if !request.headers.contains("Accept-Encoding") { outgoing.headers.add(name: "Accept-Encoding", value: codings) }
        if let source = request.bodySource {
            outgoing.body = .stream(source.map { ByteBuffer(bytes: $0) }, length: source.length.map { .known($0) } ?? .unknown)
        } else if let body = request.body {
            outgoing.body = .bytes(ByteBuffer(bytes: body))
        }
        return outgoing
    }
}

/// The pieces of a response as they arrive, with errors as `APIError`. The transfer pauses while the reader is slower.
struct ReceivedBody: AsyncSequence, Sendable {
    typealias Element = Data

    let body: HTTPClientResponse.Body
    /// Retains the transport, whose release would end the transfer.
    let transport: AsyncHTTPClientTransport

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var pieces: HTTPClientResponse.Body.AsyncIterator
        fileprivate let transport: AsyncHTTPClientTransport

        mutating func next() async throws -> Data? {
            do {
                let piece = try await pieces.next()
                // Throw if the reader is cancelled, because it would otherwise take a part of the body for the whole.
                if piece == nil { try Task.checkCancellation() }
                return piece.map { Data($0.readableBytesView) }
            } catch {
                throw ClientFailure.error(error)
            }
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: body.makeAsyncIterator(), transport: transport) }
}
