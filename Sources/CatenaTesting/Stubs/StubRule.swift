import Catena
import CatenaLoopback

/// A complete stub: the calls that it matches, its replies and their number.
struct StubRule: Sendable, CustomStringConvertible {
    enum Answer: Sendable {
        case always(StubReply)
        case sequence([StubReply])
        case closure(@Sendable (StubRequest) async throws -> StubReply)
    }

    /// Replies used at random, but equally in every run, instead of the usual reply.
    struct Faults: Sendable {
        let replies: [StubReply]
        let rate: Double
        let seed: UInt64

        /// Draws for one use with a generator of its own. The number of faults is therefore independent of the order in which concurrent calls arrive.
        func drawn(for use: Int) -> StubReply? {
            var random = SeededRandom(seed: seed &+ UInt64(use) &* 0x5851_F42D_4C95_7F2D)
            guard Double.random(in: 0..<1, using: &random) < rate else { return nil }
            return replies.randomElement(using: &random)
        }
    }

    let target: StubTarget
    let place: Place
    let answer: Answer
    let limit: Int?
    let delay: Duration
    let faults: Faults?

    var description: String { "\(target) (\(place))" }

    /// The number of calls to reply to, or `nil` if it is unlimited.
    private var capacity: Int? {
        guard case .sequence(let replies) = answer else { return limit }
        return replies.count * (limit ?? 1)
    }

    func isUsedUp(after uses: Int) -> Bool {
        capacity.map { uses >= $0 } ?? false
    }

    /// The reason why the stub does not reply any more.
    var capacityText: String {
        if case .sequence = answer { return "has given all of its \(capacity ?? 0) replies" }
        return "was for \(capacity ?? 0) \(capacity == 1 ? "call" : "calls") only"
    }

    /// Returns a message if the stub was used less often than it should be.
    func problem(uses: Int, overshadowedBy other: StubRule?) -> String? {
        if uses == 0 {
            guard capacity != 0 else { return nil }
            return "The stub \(self) was never used" + (other.map { ": \($0) comes first and answered in its place." } ?? ".")
        }
        guard let capacity, uses < capacity else { return nil }
        if case .sequence = answer { return "The stub \(self) gave \(uses) of its \(capacity) replies." }
        return "The stub \(self) was used \(times(uses)), not \(times(capacity))."
    }

    /// Returns the response, or `nil` if it needs a wait or a closure makes it.
    ///
    /// - Parameter use: The number of the use, from 1.
    func immediateResponse(in context: StubContext, use: Int) throws -> TransportResponse? {
        delay <= .zero ? try immediateReply(use: use)?.immediateResponse(in: context) : nil
    }

    /// Waits for the delays and the closure of the stub, and returns the response.
    func response(to call: StubRequest, use: Int) async throws -> TransportResponse {
        try await call.context.clock.sleep(for: delay)
        return try await reply(to: call, use: use).response(in: call.context)
    }

    private func immediateReply(use: Int) -> StubReply? {
        if let fault = faults?.drawn(for: use) { return fault }
        return switch answer {
        case .always(let reply): reply
        case .sequence(let replies): replies[(use - 1) % replies.count]
        case .closure: nil
        }
    }

    private func reply(to call: StubRequest, use: Int) async throws -> StubReply {
        if case .closure(let make) = answer, faults?.drawn(for: use) == nil { return try await make(call) }
        return immediateReply(use: use) ?? .unanswered
    }
}

func times(_ count: Int) -> String { count == 1 ? "1 time" : "\(count) times" }
