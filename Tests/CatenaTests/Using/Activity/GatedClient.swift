import CatenaTesting

@testable import Catena

/// A client whose calls wait at a gate until a test opens it.
final class GatedClient: Sendable {
    let client: Client
    let stub: ClosureTransport
    private let gate = Promise<Void>.pending()
    /// A consumer of the gate during the test, because cancelled calls withdraw their interest in the gate.
    private let keeper: Promise<Void>

    init(clock: VirtualClock = VirtualClock(), _ answer: @escaping @Sendable () -> TransportResponse = { .json("7") }) {
        let promise = gate.promise
        keeper = promise.map {}
        stub = ClosureTransport { _ in
            try await promise.value
            return answer()
        }
        client = Client(transport: stub, clock: clock)
        client.defaultHost = "https://example.com"
        for tag: Catena.Tag in ["forum", "wallet"] { client.configure(tag) { _ in } }
    }

    func open() { gate.resolver.fulfill(()) }

    /// Waits until so many requests have reached the gate.
    func arrived(_ count: Int) async {
        await stub.requestsReceived(count)
    }
}

/// Waits until the main queue has run its present work, and the work that this has added.
func mainQueueIsEmpty() async {
    for _ in 0..<5 { try? await mainQueueHasRun() }
}

/// Waits until the main queue has run its present work.
func mainQueueHasRun() async throws {
    try await Promise<Void>(value: ()).then {}.value
}
