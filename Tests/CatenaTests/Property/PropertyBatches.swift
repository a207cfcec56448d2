@testable import Catena

// Batches. All calls of a batch have the user of its first call.
extension PropertyWorld {
    func batch(_ backend: Int) {
        let numbers = (0..<3).map { begin(.batch, backend, "/p\($0)", isPosted: false) }
        log("calls \(numbers): a batch of backend \(backend)")
        let promise = client.batch(numbers.map { described($0) }, as: PropertyReply.self, concurrency: draw([nil, 1, 2]))
        for number in numbers { update(number) { ($0.mates, $0.cancel) = (numbers, { promise.cancel() }) } }
        _ = promise.core.derive(interest: .any) { [self] outcome in
            switch outcome.result(as: [Result<PropertyReply, APIError>].self) {
            case .success(let results):
                for (number, result) in zip(numbers, results) { end(number, result.map { $0 }.mapError { $0 }) }
            case .failure(let error):
                for number in numbers { end(number, .failure(error)) }
            }
            return .settle(outcome.seen)
        }
    }

    /// Checks that the calls of a batch are sent as one user, or all without a credential.
    func checkMates(of record: PropertyRecord) {
        for mate in record.mates where mate != record.number {
            guard let other = self.record(mate) else { continue }
            switch (record.caller, other.caller) {
            case (.member(let one), .member(let two)) where !one.mayGoOn(as: two, isKnown: record.setup.isKnown):
                violate("calls \(record.number) and \(mate) of a batch are sent as \(one.token) and as \(two.token)")
            case (.member(let one), .nobody), (.nobody, .member(let one)):
                violate("calls \(record.number) and \(mate) of a batch are sent as \(one.token) and as nobody")
            default: break
            }
        }
    }
}
