import CatenaTesting
import Foundation
import TestSupport

@testable import Catena

// The invariants of each sent request and of each call's end.
extension PropertyWorld {
    /// Checks a request that is being sent and returns the number of its call.
    func check(sent request: HTTPRequest) -> Int {
        let address = request.address
        let parts = address.path.split(separator: "/")
        let named = request.headers["X-Call"].flatMap { Int($0) } ?? (parts.count == 3 ? Int(parts[1]) : nil)
        guard let number = named, let record = record(number) else {
            violate("a request of no call: \(request.method) \(address.text)")
            return 0
        }
        if record.isTooLate { violate("call \(number) is sent although the client has been shut down") }
        // A batch ends as a whole, and its calls learn of that one after the other.
        if record.hasEnded, record.kind != .batch, !mayGoOnBehind(record) { violate("call \(number) is sent after its end") }
        checkCredential(request, of: record)
        checkPage(request, of: record)
        checkWait(request, of: record)
        if let record = self.record(number) { checkMates(of: record) }
        let isRedirected = parts.first == "moved"
        if !isRedirected, address.host == Self.host(record.backend) { checkAskings(request, of: record) }
        update(number) { if isRedirected { $0.redirected += 1 } else { $0.sent += 1 } }
        guard let record = self.record(number) else { return number }
        let sendings = record.setup.sendings(
            retries: record.retryLimit, isHedged: record.hedgeDelay != nil, isSignedIn: record.caller != .exempt,
            isReset: record.resets > 0)
        // Each call of a poll and each page of a list has its own attempts.
        if record.kind != .events, record.kind != .poll || record.polls > 0, !record.spansSetups,
            record.sent > sendings * max(record.polls, record.pages.count, 1)
        {
            violate("call \(number) is sent \(record.sent) times, of \(sendings) allowed")
        }
        if record.redirected > PropertySetup.redirectLimit * record.sent {
            violate("call \(number) follows \(record.redirected) redirects")
        }
        return number
    }

    /// Checks that the common closures ran for this sending, and that the signature was computed for it.
    private func checkAskings(_ request: HTTPRequest, of record: PropertyRecord) {
        for name in ["X-Asked", "X-Nonce"] {
            guard let asking = request.headers[name] else {
                let isMissing = name == "X-Asked" || record.setup.signing == .app && !record.spansSetups
                if isMissing, record.kind != .events { violate("call \(record.number) is sent without \(name)") }
                continue
            }
            let (isNew, isDoubled) = state.withLock { state in
                (state.askings.insert("\(name) \(asking)").inserted, state.doubling.contains(record.backend))
            }
            // An interceptor may send one prepared request twice.
            if !isNew, !isDoubled { violate("call \(record.number) is sent with the \(name) of another sending") }
        }
    }

    private func checkCredential(_ request: HTTPRequest, of record: PropertyRecord) {
        let number = record.number
        guard let token = request.headers["Authorization"] else {
            // The target of a redirect does not receive the credential.
            guard request.address.host == Self.host(record.backend), !request.address.path.hasPrefix("/moved/") else { return }
            if record.caller == .open { update(number) { $0.caller = .nobody } }
            if case .member = record.caller { violate("call \(number) of \(record.caller) is sent without a credential") }
            return
        }
        guard request.address.host == Self.host(record.backend) else { return violate("\(request.address.host) is shown \(token)") }
        guard let member = PropertyMember(token: token), member.backend == record.backend else {
            return violate("backend \(record.backend) is shown \(token)")
        }
        switch record.caller {
        case .exempt, .nobody: violate("call \(number) is made by nobody, and sent with \(token)")
        case .open: update(number) { $0.caller = .member(member) }
        case .member(let own):
            if !own.mayGoOn(as: member, isKnown: record.setup.isKnown) { violate("call \(number) of \(own.token) is sent with \(token)") }
        }
    }

    /// Whether a request of a call that has ended may be sent. It may if another call has joined it, or if the cache refreshes its response in the background.
    func mayGoOnBehind(_ record: PropertyRecord) -> Bool {
        guard !record.isPosted || record.kind == .once, !record.kind.isStreamed else { return false }
        return state.withLock { state in
            if record.kind == .once {
                return state.live.contains { number in
                    guard let other = state.records[number] else { return false }
                    return other.kind == .once && other.backend == record.backend && other.path == record.path
                }
            }
            if record.setup.hasCache || record.spansSetups, state.renewable.contains("\(record.backend) \(record.path)") { return true }
            return record.shares
                && state.live.contains { number in
                    guard let other = state.records[number] else { return false }
                    return other.backend == record.backend && other.path == record.path && other.shares && !other.kind.isStreamed
                }
        }
    }

    /// Records the end of a call.
    func end(_ number: Int, _ result: Result<PropertyReply?, any Error>) {
        guard let record = record(number) else { return }
        if record.hasEnded { violate("call \(number) ends twice") }
        switch result {
        case .success(let reply):
            log("call \(number) ends with \(reply?.text ?? "a success")")
            if record.isTooLate { violate("call \(number) succeeds although the client had been shut down") }
            update(number) { $0.hasSucceeded = true }
            if let reply {
                check(reply, for: record)
                checkJoined(reply, record)
            }
            noteKept(record)
        case .failure(let error):
            log("call \(number) ends with \((error as? APIError).map { "\($0.kind.name) \($0.code)" } ?? "\(error)")")
            if !(error is APIError), !(error is CancellationError) { violate("call \(number) fails with \(error)") }
            checkListFailure(error, of: record)
            checkWait(in: error, of: record)
            checkKept(error, of: record)
        }
        state.withLock { state in
            let place = "\(record.backend) \(record.path)"
            if case .success = result, record.isPosted, record.setup.hasCache {
                state.floors[place] = max(state.floors[place] ?? 0, record.version)
            }
            state.records[number]?.hasEnded = true
            state.records[number]?.cancel = nil
            state.live.remove(number)
        }
    }

    /// Checks the value that a call receives.
    func check(_ reply: PropertyReply, for record: PropertyRecord) {
        let number = record.number
        if reply.path != record.path { violate("call \(number) for \(record.path) gets \(reply.text)") }
        let isOwn = !reply.isServers || record.isPosted && record.kind != .once || record.kind.isStreamed
        if isOwn, reply.call != number { violate("call \(number) gets what is call \(reply.call)'s alone") }
        if !reply.person.isEmpty, !record.persons.contains(reply.person) {
            violate("call \(number), made by \(record.persons), gets what was sent to \(reply.person): \(reply.text)")
        }
        guard reply.isServers else { return }
        // Another host that an interceptor has chosen receives no credential.
        if !(reply.isElsewhere && reply.token.isEmpty), !isWhose(reply.token, record) {
            violate("call \(number) of \(record.caller) gets what was sent to \(reply.token)")
        }
        // A call that joins another one receives the response to a request that was sent earlier.
        if record.setup.hasCache, !record.shares, record.kind != .once, !reply.isElsewhere, reply.version < record.floor {
            violate("call \(number) gets version \(reply.version) of \(record.path), which was \(record.floor) before it began")
        }
    }

    private func isWhose(_ token: String, _ record: PropertyRecord) -> Bool {
        let member = PropertyMember(token: token)
        switch record.caller {
        case .exempt, .nobody: return token.isEmpty
        case .open:
            guard let member else { return token.isEmpty }
            return record.present.contains { $0.mayGoOn(as: member, isKnown: record.setup.isKnown) }
        case .member(let own): return member.map { own.mayGoOn(as: $0, isKnown: record.setup.isKnown) } ?? false
        }
    }
}
