import Foundation
import Testing

@testable import Catena

/// The cases that others have written about caches. They run where `CATENA_CACHE_TESTS` names the file with their export.
@Suite("Cases that others have written about caches", .limitedParallelism)
struct CacheSuiteTests {
    /// The required cases that fail, with the reason.
    private static let failing: [String: String] = [
        // They want a response from the client, which a proxy would make up. The call fails, and nothing stale is used.
        "stale-close-must-revalidate": "response 2 is none", "stale-close-no-cache": "response 2 is none",
        // A cache may answer a request for a range from a whole response (RFC 9111 §3.3); here the server is asked.
        "partial-use-headers": "response 2 is not from the cache", "partial-use-stored-headers": "response 2 is not from the cache",
    ]

    @Test("of the required cases those fail that are listed, and no others", .enabled(if: CacheSuite.file != nil))
    func required() async throws {
        let suite = try JSONDecoder().decode(CacheSuite.self, from: Data(contentsOf: URL(filePath: try #require(CacheSuite.file))))
        let cases = suite.cases.filter(\.isRequired)
        #expect(cases.count >= 137)
        var faults: [String: String] = [:]
        for test in cases {
            do {
                try await CacheSuiteCase(test).run()
            } catch {
                faults[test.id] = (error as? CacheSuiteCase.Fault)?.text ?? "\(error)"
            }
        }
        #expect(faults == Self.failing)
    }
}
