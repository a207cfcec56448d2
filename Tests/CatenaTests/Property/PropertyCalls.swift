import CatenaTesting
import Foundation
import TestSupport

@testable import Catena

private enum CanaryKey: OptionKey { static let initial: Canary? = nil }

extension Request {
    /// An object that lives as long as the call and everything that is created from it.
    fileprivate var canary: Canary? {
        get { values[CanaryKey.self] }
        set { values[CanaryKey.self] = newValue }
    }
}

struct PropertyEndpoint: Endpoint {
    typealias Response = PropertyReply

    let path: Path
    let request: Request

    func adjust(_ request: Request) -> Request { self.request }
}

// Creates the calls.
extension PropertyWorld {
    /// Records a call before it starts and returns its number.
    func begin(_ kind: PropertyRecord.Kind, _ backend: Int, _ path: String, isExempt: Bool = false, isPosted: Bool) -> Int {
        let isExempt = isExempt || draw(20) == 0
        let setup = state.withLock { $0.setups[backend] }
        let present = try? authentications[backend].credential()
        // A call that a task awaits starts with the task, not here.
        let isLate = kind == .awaited || kind == .batch || kind == .poll || kind == .values || kind == .pages || kind.isStreamed
        let caller: PropertyRecord.Caller = isExempt || !setup.hasSignIn ? .exempt : isLate ? .open : present.map { .member($0) } ?? .open
        let (retries, sharing, limit) = (draw(6) == 0 ? draw(3) : setup.retryLimit, draw(6) == 0 ? true : setup.dedupes, draw(8))
        let deadline: Duration? = limit == 0 ? .seconds(1) : limit == 1 ? .seconds(30) : setup.deadline
        let mayReplace = kind != .batch && kind != .once && kind != .pages && path != "/refresh"
        let replacingID = mayReplace && draw(5) == 0 ? "r\(draw(2))" : nil
        let now = clock.now
        return state.withLock { state in
            state.lastCall += 1
            let number = state.lastCall
            var record = PropertyRecord(
                number: number, kind: kind, backend: backend, path: path, isPosted: isPosted, setup: setup, retryLimit: retries,
                shares: sharing && !isPosted && kind != .values, deadline: deadline, began: now, caller: caller,
                isTooLate: state.isShutDown && (path != "/refresh" || state.live.isEmpty), floor: state.floors["\(backend) \(path)"] ?? 0)
            // A shared credential may arrive late, or in an older version.
            if setup.company != .nobody { record.present = state.members[backend] ?? [] }
            if let present { record.present.insert(present) }
            if !kind.isStreamed { record.hedgeDelay = setup.hedgeDelay }
            // Calls with an id are observed, and therefore share no response.
            record.isNamed = path == "/refresh" || number.isMultiple(of: 3)
            record.replacingID = replacingID
            state.records[number] = record
            state.live.insert(number)
            return number
        }
    }

    func described(_ number: Int) -> Request {
        guard let record = record(number) else { return client.get("/unknown") }
        let canary = canaries.canary()
        var request = client.tag(Self.tag(record.backend)).path(record.path).method(record.isPosted ? .post : .get)
            .header("X-Call", "\(number)").set(\.priority, draw(CallPriority.allCases))
        request.canary = canary
        // Such a closure prevents that the call is sent at once.
        if draw(3) == 0 { request = request.before { [unowned self] in await dawdle() } }
        if record.retryLimit != record.setup.retryLimit {
            var policy = RetryPolicy.exponential(limit: record.retryLimit)
            policy.budget = record.setup.budget
            request = request.retry(policy)
        }
        if record.shares != record.setup.dedupes { request = request.set(\.dedupe, record.shares) }
        if record.deadline != record.setup.deadline, let deadline = record.deadline { request = request.deadline(deadline) }
        if record.caller == .exempt, record.setup.hasSignIn, record.path != "/refresh" { request = request.authenticated(false) }
        if record.kind == .once { request = request.json(["n": 0]).once() }
        if record.isPosted, record.kind != .once, record.path != "/refresh" { request = request.json(["n": number]) }
        let hasKey = record.isPosted && draw(3) == 0
        if hasKey { request = request.set(\.idempotencyKey, .random) }
        let mayBeSentTwice = !record.kind.isStreamed && (hasKey || !record.isPosted)
        if !mayBeSentTwice { update(number) { $0.hedgeDelay = nil } }
        if mayBeSentTwice, draw(4) == 0 {
            let delay = draw([nil, .milliseconds(50), .milliseconds(500)] as [Duration?])
            update(number) { $0.hedgeDelay = delay }
            request = request.set(\.hedgeDelay, delay)
        }
        if record.isNamed { request = request.id("c\(number)").group("g\(number % 4)") }
        if let id = record.replacingID { request = request.id(id, replacing: true) }
        return request
    }

    /// Starts a call of a random kind.
    func call() {
        let kind = draw(PropertyRecord.Kind.allCases)
        let backend = draw(caches.count)
        if kind == .batch { return batch(backend) }
        call(kind, backend, kind == .pages ? draw(PropertyList.allCases).path : "/p\(draw(2))")
    }

    func call(_ kind: PropertyRecord.Kind, _ backend: Int, _ path: String) {
        let number = begin(kind, backend, path, isPosted: kind.isPosted)
        let request = described(number)
        log("call \(number): \(kind) \(path) of backend \(backend), \(record(number).map { "\($0.caller)" } ?? "")")
        switch kind {
        case .typed, .change, .once: follow(number, request.execute(as: PropertyReply.self)) { $0 }
        case .text:
            follow(number, request.execute(.string)) { text in
                try? JSONDecoder().decode(Enveloped.self, from: Data(text.utf8)).data
            }
        case .void, .voidChange: follow(number, request.execute(.void)) { nil }
        case .endpoint: follow(number, client.call(PropertyEndpoint(path: Path(path), request: request))) { $0 }
        case .awaited, .batch: run(number) { try await request.value(as: PropertyReply.self) }
        case .values: readValues(number, request)
        case .stream: read(number, request)
        case .lines: readLines(number, request)
        case .events: readEvents(number, request)
        case .poll: poll(number, request)
        case .pages: readList(number, request)
        }
    }

    private struct Enveloped: Decodable { let data: PropertyReply? }

    private func follow<Value: Sendable>(_ number: Int, _ promise: Promise<Value>, _ reply: @escaping @Sendable (Value) -> PropertyReply?) {
        update(number) { $0.cancel = { promise.cancel() } }
        noteBeginning(of: number)
        _ = promise.core.derive(interest: .any) { [self] outcome in
            end(number, outcome.result(as: Value.self).map(reply))
            return .settle(outcome.seen)
        }
    }

    func run(_ number: Int, _ work: @escaping @Sendable () async throws -> PropertyReply?) {
        let task = Task { [self] in
            do {
                noteBeginning(of: number)
                end(number, .success(try await work()))
            } catch {
                end(number, .failure(error))
            }
        }
        update(number) { $0.cancel = { task.cancel() } }
    }

    // MARK: Bodies that are read as they arrive

    /// The number of pieces after which a reader stops.
    private var pieceLimit: Int { draw(4) == 0 ? draw(3) : .max }

    private func read(_ number: Int, _ request: Request) {
        let limit = pieceLimit
        run(number) { [self] in
            var (body, count) = (Data(), 0)
            for try await piece in request.stream() {
                body += piece
                count += 1
                if count > limit { break }
            }
            for line in body.split(separator: UInt8(ascii: "\n")) { see(number, Data(line)) }
            return nil
        }
    }

    private func readLines(_ number: Int, _ request: Request) {
        let limit = pieceLimit
        run(number) { [self] in
            var count = 0
            for try await line in request.lines() {
                see(number, Data(line.utf8))
                count += 1
                if count > limit { break }
            }
            return nil
        }
    }

    private func readEvents(_ number: Int, _ request: Request) {
        let limit = pieceLimit
        run(number) { [self] in
            var count = 0
            for try await event in request.events() {
                see(number, Data(event.data.utf8))
                count += 1
                if count > limit { break }
            }
            return nil
        }
    }

    // MARK: Polls

    private func poll(_ number: Int, _ request: Request) {
        let isCounted = draw(2) == 0
        let request = isCounted ? request.before { [unowned self] in beginPoll(number) } : request
        let longest: Duration? = draw([nil, .seconds(4)])
        run(number) { [self] in
            try await request.poll(every: .milliseconds(draw([1, 300, 2_000])), upTo: longest) { (reply: PropertyReply) in
                if let record = record(number) { check(reply, for: record) }
                if record(number)?.hasEnded == true { violate("the closure of poll \(number) is called after its end") }
                update(number) { $0.isPolling = false }
                if draw(20) == 0 { throw APIError(.business, code: 88) }
                return isCalm || draw(4) == 0
            }
        }
    }

    /// Checks that the calls of a poll follow one another.
    private func beginPoll(_ number: Int) {
        // A closure before this one may ignore that the call has been cancelled.
        guard !Task.isCancelled, let record = record(number) else { return }
        if record.isPolling { violate("two calls of poll \(number) are under way at a time") }
        if record.hasEnded || record.cancelled != nil { violate("poll \(number) begins a call after its end") }
        update(number) { ($0.polls, $0.isPolling) = ($0.polls + 1, true) }
    }

    private func see(_ number: Int, _ text: Data) {
        guard let reply = try? JSONDecoder().decode(PropertyReply.self, from: text), let record = record(number) else { return }
        check(reply, for: record)
    }
}
