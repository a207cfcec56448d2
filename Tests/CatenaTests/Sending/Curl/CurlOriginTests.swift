#if os(Linux) && canImport(Glibc)
import Testing

@testable import Catena

@Suite(.limitedParallelism, .needsEngine) struct CurlOriginTests {
    private static func origin(_ text: String) throws -> CurlOrigin {
        // Creating a transport loads libcurl.
        _ = try CurlTransport()
        return try #require(CurlOrigins()[text, proxy: ""])
    }

    private static let short = Array(repeating: Int64(100), count: 8)
    private static let long = Array(repeating: Int64(100_000), count: 8)

    static let rows: [(lengths: [Int64], buffer: Int?)] = [
        ([], nil), (short.dropLast(), nil), (short, 1024), (short + [1025], nil), (short + [100_000], nil),
        (long.dropLast(), nil), (long, 65_536), (long + long, 65_536), (long + [16_384], nil), (long + [0], nil), (long + short, 1024),
        (short + long, 65_536), (Array(repeating: 5_000, count: 20), nil),
    ]

    @Test("the receive buffer has the size that fits the last eight responses of an origin", arguments: rows)
    func buffer(lengths: [Int64], size: Int?) throws {
        let origin = try Self.origin("http://forum.test")
        for length in lengths {
            origin.noteAnnounced(length: length)
            origin.noteResponse(length: length)
        }
        #expect(origin.expectedLength == size)
    }

    @Test("over TLS, where libcurl reads at most a record of 16 KB, the buffer stays as it is")
    func secure() throws {
        let origin = try Self.origin("https://forum.test")
        for _ in 0..<8 { origin.noteResponse(length: 100_000) }
        #expect(origin.expectedLength == nil)
    }

    @Test("a long response that is announced and does not end makes the buffer its usual size")
    func announced() throws {
        let origin = try Self.origin("http://forum.test")
        for _ in 0..<8 { origin.noteResponse(length: 10) }
        origin.noteAnnounced(length: 5_000)
        #expect(origin.expectedLength == nil)
    }
}
#endif
