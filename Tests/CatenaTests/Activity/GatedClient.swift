import CatenaTesting

@testable import Catena

/// A client whose calls wait at a gate until a test opens it.
final class GatedClient: Sendable {
    let client: Client
    let stub: StubTransport
    private let gate = Promise<Void>.pending()
    /// Wants the gate for as long as the test goes on: calls that are cancelled withdraw their interest in it.
    private let keeper: Promise<Void>

    init(clock: VirtualClock = VirtualClock(), _ answer: @escaping @Sendable () -> TransportResponse = { .json("7") }) {
        let promise = gate.promise
        keeper = promise.map {}
        stub = StubTransport { _ in
            try await promise.value
            return answer()
        }
        client = Client(transport: stub, clock: clock)
        client.defaultHost = "https://example.com"
        for tag: Catena.Tag in ["forum", "wallet"] { client.configure(tag) { _ in } }
    }

    func open() { gate.resolver.fulfill(()) }

    /// Waits until so many requests have come to the gate.
    func arrived(_ count: Int) async {
        await stub.requestsReceived(count)
    }
}

/// Waits until the main queue has run what it was sent, and what that has sent there.
func mainQueueIsEmpty() async {
    for _ in 0..<5 { try? await mainQueueHasRun() }
}

/// Waits until what has been sent to the main queue has run.
func mainQueueHasRun() async throws {
    try await Promise<Void>(value: ()).then {}.value
}
