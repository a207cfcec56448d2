import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// The limits of time of calls that send a body in pieces.
@Suite("Silence during uploads", .limitedParallelism)
struct UploadSilenceTests {
    typealias Subject = TransportTests.Subject

    /// The kind of a call. Different code watches each for silence.
    enum Kind: String, CaseIterable, Sendable {
        case whole, watched, streamed

        func text(of call: Request) async throws -> String {
            switch self {
            case .whole: return try await call.execute(.string).value
            case .watched: return try await call.onProgress { _ in }.execute(.string).value
            case .streamed:
                var body = Data()
                for try await piece in call.stream() { body += piece }
                return String(decoding: body, as: UTF8.self)
            }
        }
    }

    @Test(
        "an upload may take longer than the limits for silence while its pieces flow", arguments: Subject.allCases, Kind.allCases)
    func flowing(subject: Subject, kind: Kind) async throws {
        let server = try subject.newServer()
        server.post("/a") { .text("\($0.bodyLength)") }
        let clock = VirtualClock()
        let client = Client(transport: subject.transport, clock: clock)
        client.defaultHost = server.url
        let asked = Counter()
        // A piece is longer than the buffers of the transport, which asks for the next when the last but one has been sent.
        let piece = Data(count: 1 << 20)
        let call = client.post("/a").timeout(.seconds(1_000)).set(\.firstByteTimeout, .seconds(10)).set(\.idleTimeout, .seconds(10))
            .body(stream: {
                AsyncStream<Data> {
                    asked.increment()
                    clock.advance(by: .seconds(4))
                    return asked.count <= 6 ? piece : nil
                }
            })
        #expect(try await kind.text(of: call) == "\(6 << 20)")
    }

    #if os(Linux)
    @Test("a timeout after a body of known length says that the response is awaited", .needsEngine, arguments: [3, 300_000])
    func phase(length: Int) async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.post("/a") { _ in .json(text: "1").held(by: gate) }
        let clock = VirtualClock()
        let client = Client(transport: try CurlTransport(), clock: clock)
        client.defaultHost = server.url
        let source = BodySource(
            stream: {
                AsyncStream<Data> {
                    $0.yield(Data(count: length))
                    $0.finish()
                }
            }, length: Int64(length))
        let call: Promise<Int> = client.post("/a").timeout(.seconds(5)).body(source, contentType: "a/b").onProgress { _ in }
            .execute(as: Int.self)
        await gate.entered(1)
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: APIError.self) { try await call.value }
        #expect(error?.message.hasSuffix(", while it was waiting for the response.") == true, "\(error?.message ?? "")")
        gate.open()
    }
    #endif
}
