import CatenaTesting
import Foundation
import TestSupport

@testable import Catena

// The calls that join or replace others, or that have a cached value first, and their invariants.
extension PropertyWorld {
    func noteBeginning(of number: Int) {
        state.withLock { state in
            state.begun += 1
            state.records[number]?.hasBegun = true
            state.records[number]?.order = state.begun
            state.records[number]?.isAfterShutdown = state.isShutDown
            state.records[number]?.beganCancelled = Task.isCancelled
        }
    }

    // MARK: Cached values

    func readValues(_ number: Int, _ request: Request) {
        let limit = draw(4) == 0 ? 1 : Int.max
        run(number) { [self] in
            let given = try await values(number, request, atMost: limit)
            if given.isEmpty || given.count > 2 { violate("call \(number) gives \(given.count) values") }
            guard given.count == 2, let first = given.first, let last = given.last else { return nil }
            if first == last { violate("call \(number) gives the same value twice: \(first.text)") }
            if !first.isElsewhere, !last.isElsewhere, last.isServers, last.version < first.version {
                violate("call \(number) gives version \(first.version), and then \(last.version)")
            }
            return nil
        }
    }

    // A function, so that the loop and its call have ended when it returns.
    private func values(_ number: Int, _ request: Request, atMost limit: Int) async throws -> [PropertyReply] {
        var given: [PropertyReply] = []
        for try await reply in request.values(of: PropertyReply.self) {
            given.append(reply)
            log("call \(number) gives \(reply.text)")
            if let record = record(number) { check(reply, for: record) }
            if given.count == limit { break }
        }
        return given
    }

    // MARK: Calls that join others

    /// Checks that no identical call is at a server while a call that joins such calls arrives there.
    func checkOnce(_ request: HTTPRequest, of call: Int) {
        guard let record = record(call), isComparable(request, of: record) else { return }
        let (exchanges, records) = state.withLock { ($0.exchanges, $0.records) }
        for exchange in exchanges.values where exchange.call != call && !exchange.isDropped {
            guard let other = records[exchange.call], isComparable(exchange.request, of: other), other.backend == record.backend,
                other.path == record.path, other.setup.signing == record.setup.signing,
                isSameUser(request, exchange.request, isKnown: record.setup.isKnown)
            else { continue }
            violate("call \(call) is sent while call \(other.number) runs, which it should have joined")
        }
    }

    /// Whether the call joins others, and nothing but its own steps determines with which it is identical.
    private func isComparable(_ request: HTTPRequest, of record: PropertyRecord) -> Bool {
        record.kind == .once && record.setup.meddlers.isEmpty && request.address.host == Self.host(record.backend)
            && request.address.path == record.path
    }

    private func isSameUser(_ one: HTTPRequest, _ other: HTTPRequest, isKnown: Bool) -> Bool {
        switch (one.headers["Authorization"], other.headers["Authorization"]) {
        case (nil, nil): true
        case (let one?, let other?):
            PropertyMember(token: one).flatMap { one in PropertyMember(token: other).map { one.mayGoOn(as: $0, isKnown: isKnown) } }
                ?? false
        default: false
        }
    }

    /// Checks the value of a call that has joined another one.
    func checkJoined(_ reply: PropertyReply, _ record: PropertyRecord) {
        guard record.kind == .once, reply.call != record.number, record.sent > 0, record.setup.meddlers.isEmpty else { return }
        violate("call \(record.number) is sent, and gets what was sent to call \(reply.call), which it has joined")
    }

    // MARK: Calls that replace others

    /// Checks that the calls are over that a newer one has replaced.
    func checkReplaced(_ records: [Int: PropertyRecord], _ live: Set<Int>) {
        var newest: [String: Int] = [:]
        // A call replaces none if it was refused after a shutdown, or if its task was cancelled before it began.
        for record in records.values where record.hasBegun && !record.isAfterShutdown && !record.beganCancelled {
            if let id = record.replacingID { newest[id] = max(newest[id] ?? 0, record.order) }
        }
        for number in live.sorted() {
            // An event stream has no call between two connections.
            guard let record = records[number], let id = record.replacingID, record.hasBegun, record.kind != .events,
                let newest = newest[id], record.order < newest
            else { continue }
            violate("call \(number) goes on, although a newer call has replaced it")
        }
        for id in newest.keys.sorted() {
            // Refused calls are active until their errors are delivered.
            let refused = live.count { records[$0].map { $0.replacingID == id && $0.hasBegun && $0.isAfterShutdown } ?? false }
            let count = client.calls.tasks(id: id).count
            if count > 1 + refused { violate("\(count) calls with the id \(id) are active, \(refused) of them refused") }
        }
    }
}
