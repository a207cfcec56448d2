import CatenaTesting
import Foundation

@testable import Catena

/// A response whose server asks for a wait.
struct PropertyRefusal: Sendable {
    let time: Duration
    let wait: Duration
    /// The page of a list that was refused, else 1.
    let page: Int

    var end: Duration { time + wait }

    /// Whether the wait fits neither into the deadline of the call nor into the longest wait of its policy.
    func isFutile(for record: PropertyRecord) -> Bool {
        wait > RetryPolicy.exponential(limit: 1).longestServerWait || record.deadline.map { end >= record.began + $0 } == true
    }
}

// The waits that servers ask for.
extension PropertyWorld {
    /// Records the wait that a response asks for, or that the response asks for none.
    func noteWait(_ result: Result<TransportResponse, any Error>, of exchange: PropertyExchange) {
        let asked = (try? result.get())?.headers["Retry-After"].flatMap { Int($0) }
        let page = PropertyList.page(in: exchange.request.address)
        let refusal = asked.map { PropertyRefusal(time: clock.now, wait: .seconds($0), page: page) }
        update(exchange.call) { $0.refusal = refusal }
    }

    /// Whether a call may have another attempt in progress beside the refused one, or be sent again by an interceptor.
    private func isSentTwice(_ record: PropertyRecord) -> Bool {
        record.hedgeDelay != nil || record.spansSetups || state.withLock { $0.doubling.contains(record.backend) }
    }

    /// Checks that a request is not sent before the end of the wait that its server has asked for.
    func checkWait(_ request: HTTPRequest, of record: PropertyRecord) {
        // A stream of events decides by its own rules when it connects again.
        guard let refusal = record.refusal, record.kind != .events, refusal.page == PropertyList.page(in: request.address),
            !isSentTwice(record)
        else { return }
        if clock.now < refusal.end {
            violate("call \(record.number) is sent again at \(clock.now), before the server's wait ends at \(refusal.end)")
        }
    }

    /// Checks that no call waits for something that comes after its deadline. Called while no task can run.
    func checkFutileWaits(_ records: [Int: PropertyRecord], _ live: Set<Int>, _ sent: Set<Int>) {
        for number in live.sorted() {
            // A batch ends as a whole. A shared breaker waits for its store.
            guard let record = records[number], record.kind != .events, record.kind != .batch, !record.isSuspended, record.handlers == 0,
                !record.setup.isShared, !sent.contains(number), let refusal = record.refusal, refusal.isFutile(for: record),
                !isSentTwice(record)
            else { continue }
            violate("call \(number) goes on after a wait of \(refusal.wait) that does not fit")
        }
    }

    /// Checks that the error of a refused call has the wait.
    func checkWait(in error: any Error, of record: PropertyRecord) {
        guard let refusal = record.refusal, let error = error as? APIError else { return }
        if refusal.isFutile(for: record), error.retryAfter == refusal.wait { meet(.futileWait) }
        guard error.status == 503 || error.status == 429, record.setup.meddlers.isEmpty, !record.shares, !isSentTwice(record) else {
            return
        }
        if error.retryAfter != refusal.wait {
            violate("call \(record.number) fails with a wait of \(error.retryAfter ?? .zero), and its server has asked for \(refusal.wait)")
        }
    }
}
