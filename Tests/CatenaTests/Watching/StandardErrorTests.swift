// Standard error belongs to the whole process, so the test replaces it in a process of its own.
#if compiler(>=6.2) && os(Linux)
import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite("A standard error that cannot be written to", .limitedParallelism)
struct StandardErrorTests {
    @Test("a call succeeds although neither its log nor a diagnostic can be written")
    func full() async {
        await #expect(processExitsWith: .success) {
            let replaced = dup2(open("/dev/full", O_WRONLY), STDERR_FILENO)
            try #require(replaced == STDERR_FILENO)
            let client = Client(transport: ClosureTransport { _ in .json("7") })
            client.defaultHost = "https://example.com"
            client.log(to: .standardError)
            // A diagnostic reports that the tag is not configured.
            let number = try await client.tag("forum").get("/a").value(as: Int.self)
            await client.waitUntilIdle()
            try #require(number == 7)
        }
    }
}
#endif
