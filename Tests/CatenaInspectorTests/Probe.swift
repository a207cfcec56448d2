import Catena
import CatenaPromise
import CatenaTesting
import Foundation

@testable import CatenaInspector

/// An inspector of a client with stubs, and a client that sends the requests of the inspector's page.
final class Probe: Sendable {
    let stubs = Stubs()
    /// The inspected client.
    let client: Client
    let inspector: Inspector
    /// The text that the inspector printed at its start.
    let announced: String
    private let page = Client()

    init(watching other: Client? = nil, _ change: (inout InspectorSettings) -> Void = { _ in }) throws {
        let words = Mutex("")
        var settings = InspectorSettings()
        settings.port = 0
        settings.keyFolder = nil
        // The inspector records all calls, as if a page were always open.
        settings.linger = .seconds(1_000_000)
        settings.announce = { text in words.withLock { $0 += text } }
        change(&settings)
        client = other ?? Client(testing: stubs)
        inspector = try Inspector.start(.calls(of: client), settings)
        announced = words.withLock { $0 }
        page.configureDefaults { [inspector] defaults in
            defaults.host = "http://127.0.0.1:\(inspector.url.port ?? 0)"
            defaults.headers = ["X-Inspector-Key": inspector.key]
            defaults.envelope = .raw
        }
    }

    deinit { inspector.stop() }

    /// Returns a port that an inspector can have again after it was stopped. One that it was given with port 0 may still belong to old connections.
    static func freePort() throws -> Int {
        let server = try LoopbackServer()
        defer { server.stop() }
        return server.port
    }

    /// Returns a request of the page.
    func get(_ path: String) -> Request { page.get(path) }
    func post(_ path: String) -> Request { page.post(path) }
    func delete(_ path: String) -> Request { page.delete(path) }

    /// Returns the rows of the list, newest first.
    func rows(_ query: String = "") async throws -> [JSON] {
        try await get("/api/calls\(query)").value().calls.array ?? []
    }

    /// Returns the row of the newest call.
    func row() async throws -> JSON { try await rows()[0] }

    func detail(_ row: JSON) async throws -> JSON { try await get("/api/calls/\(row.id.int ?? -1)").value() }
}
