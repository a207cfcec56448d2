public import AsyncHTTPClient
public import Catena
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression

/// Carries requests over async-http-client, in place of libcurl or `URLSession`.
///
/// ```swift
/// var configuration = HTTPClient.Configuration()
/// configuration.proxy = .server(host: "proxy.example.com", port: 3128)
/// let client = Client(transport: AsyncHTTPClientTransport(configuration))
/// ```
///
/// The transport has an `HTTPClient` of its own, since some of its settings are for Catena to choose: redirects are not followed,
/// connections are not attempted again and again, and bodies are decompressed. All others stay as they are given. It is shut down by
/// ``shutdown()``, or when the transport is dropped.
public final class AsyncHTTPClientTransport: Transport {
    private let client: HTTPClient

    /// How long a response may take to begin. The limits of a call are kept by Catena, and are much shorter.
    private static let longestWait = TimeAmount.hours(24)
    /// What is decompressed.
    private static let codings = "gzip, deflate"

    /// Makes a transport with connections of its own.
    ///
    /// - Parameters:
    ///   - configuration: The settings; what they say of redirects, decompression and attempts to connect is not heeded.
    ///   - eventLoopGroup: The threads; those that async-http-client shares in the process if none are given.
    public init(
        _ configuration: HTTPClient.Configuration = HTTPClient.Configuration(),
        eventLoopGroup: HTTPClient.EventLoopGroupProvider = .singleton
    ) {
        var configuration = configuration
        configuration.redirectConfiguration = .disallow
        // The size is for `bodyLimit` to bound, which is another one for each tag.
        configuration.decompression = .enabled(limit: .none)
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: eventLoopGroup, configuration: configuration)
    }

    deinit {
        // A second time is refused, and that is all. The client lives until it has ended.
        client.shutdown { _ in }
    }

    /// Closes all connections. Active and later requests fail; of the latter, the error says why.
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

/// The pieces of a response as they arrive, with errors as a call knows them. A reader that falls behind pauses the transfer.
struct ReceivedBody: AsyncSequence, Sendable {
    typealias Element = Data

    let body: HTTPClientResponse.Body
    /// Dropped, it would end the transfer.
    let transport: AsyncHTTPClientTransport

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var pieces: HTTPClientResponse.Body.AsyncIterator
        fileprivate let transport: AsyncHTTPClientTransport

        mutating func next() async throws -> Data? {
            do {
                let piece = try await pieces.next()
                // A reader that is cancelled must not take what it has for the whole.
                if piece == nil { try Task.checkCancellation() }
                return piece.map { Data($0.readableBytesView) }
            } catch {
                throw ClientFailure.error(error)
            }
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: body.makeAsyncIterator(), transport: transport) }
}
