import Foundation
import FoundationOfApple
import TestSupport
import Testing
import os

@testable import Catena

/// Responds to every request with one body.
private struct Fixed: Transport {
    let body: String

    func send(_ request: HTTPRequest) async throws -> TransportResponse {
        TransportResponse(status: 200, headers: ["Content-Type": "application/json"], body: TransportBody(Data(body.utf8)))
    }
}

@Suite("Other behaviour of Apple's platforms", .limitedParallelism) struct SystemTests {
    private struct Post: Decodable, Sendable { let day: Date }

    @Test("the system log shows a line as public text")
    func log() {
        LogSink.system.writer()(LogEntry("GET https://example.com → 200"))
        #expect(Logger.lines.contains("catena calls: GET https://example.com → 200"))
    }

    @Test("lenient decoding reads dates in the format of the decoder")
    func formatted() async throws {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "dd.MM.yyyy"
        let decoder = AppleJSONDecoder()
        decoder.dateDecodingStrategy = .formatted(format)
        let client = Client(transport: Fixed(body: #"{"day": "02.01.1970"}"#))
        client.configure("forum") { forum in
            forum.host = "https://forum.example.com"
            forum.decoder = decoder
        }
        let post = try await client.tag("forum").get("/post").set(\.decoding, .lenient).value(as: Post.self)
        #expect(post.day == Date(timeIntervalSince1970: 86400))
    }

    @Test("the device has the name of the platform")
    func system() {
        #expect(Device.current().system == "macOS")
    }
}
