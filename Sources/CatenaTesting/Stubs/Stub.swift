public import Catena
public import Foundation

/// A stub that is being described: which calls it is for, and then, with `reply(_:)` or ``sequence(_:)``, what it answers.
///
/// ```swift
/// stubs.get("/v1/rooms/{room}/users").tag(.forum).query(["page": 2]).reply(data: users)
/// ```
public struct Stub: Sendable {
    let stubs: Stubs
    var target: StubTarget
    let place: Place
    private var limit: Int?
    private var delay = Duration.zero
    private var faults: StubRule.Faults?

    init(stubs: Stubs, target: StubTarget, place: Place) {
        self.stubs = stubs
        self.target = target
        self.place = place
    }
}

// MARK: Which calls

extension Stub {
    /// Only calls of a subsystem; `nil` are those without a tag.
    public func tag(_ tag: Tag?) -> Stub { matching(.tag(tag)) }

    /// Only calls with these query items, written as the call's tag writes them. Others may be there too.
    public func query(_ items: Params) -> Stub { matching(.query(items)) }

    /// Only calls with this header; `nil`: without it.
    public func header(_ name: String, _ value: String?) -> Stub { matching(.header(name, value)) }

    /// Only calls with this JSON as their body, members in any order.
    public func json(_ json: JSON) -> Stub { matching(.json(json, isPart: false)) }

    /// Only calls whose JSON body has these members, at any depth. Others may be there too.
    public func json(containing json: JSON) -> Stub { matching(.json(json, isPart: true)) }

    /// Only calls with these fields in a form. Others may be there too.
    public func form(_ fields: Params) -> Stub { matching(.form(fields)) }

    /// Only calls with these bytes as their body.
    public func body(_ data: Data) -> Stub { matching(.body(data)) }

    /// Only calls for which a closure says so.
    public func when(
        file: StaticString = #fileID, line: UInt = #line, _ predicate: @escaping @Sendable (StubCall) -> Bool
    ) -> Stub {
        matching(.when(predicate, at: Place(file, line)))
    }

    /// Only so many calls; those after them are for the next stub that matches. A sequence is given so many times.
    public func times(_ limit: Int) -> Stub { changed { $0.limit = max(limit, 0) } }

    /// The response comes later, by the call's clock. On that of ``Stubs/clock`` nobody really waits.
    public func delay(_ delay: Duration) -> Stub { changed { $0.delay = delay } }

    /// Some calls, chosen at random but the same in every run, get one of these replies instead.
    ///
    /// - Parameters:
    ///   - replies: What they get, one of them each.
    ///   - rate: How many of the calls, from 0 to 1.
    ///   - seed: Decides which calls, and which of the replies.
    public func faults(_ replies: StubReply..., rate: Double, seed: UInt64) -> Stub {
        changed { $0.faults = StubRule.Faults(replies: replies, rate: rate, seed: seed) }
    }

    private func matching(_ condition: StubCondition) -> Stub { changed { $0.target.conditions.append(condition) } }

    private func changed(_ change: (inout Stub) -> Void) -> Stub {
        var copy = self
        change(&copy)
        return copy
    }
}

// MARK: What it answers

extension Stub {
    /// Answers every such call in this way.
    public func reply(_ reply: StubReply) { add(.always(reply)) }

    /// Answers with a payload in the envelope of the call's tag; see ``StubReply/reply(code:data:message:status:)``.
    public func reply(code: ErrorCode? = nil, data: some Encodable & Sendable, message: String = "", status: Int = 200) {
        reply(.reply(code: code, data: data, message: message, status: status))
    }

    /// Answers with a business code in the envelope of the call's tag.
    public func reply(code: ErrorCode, message: String = "", status: Int = 200) {
        reply(.reply(code: code, message: message, status: status))
    }

    /// Answers with a status and no body.
    public func reply(status: Int) { reply(.status(status)) }

    /// Answers with JSON as it stands, without an envelope.
    public func reply(json: JSON, status: Int = 200) { reply(.json(json, status: status)) }

    /// Answers with text as it stands.
    public func reply(text: String, status: Int = 200) { reply(.text(text, status: status)) }

    /// Answers with bytes as they stand.
    public func reply(body: Data, contentType: String, status: Int = 200) {
        reply(.body(body, status: status, contentType: contentType))
    }

    /// Answers with the bytes of a file.
    public func reply(file: URL, status: Int = 200) { reply(.file(file, status: status)) }

    /// Answers each call as a closure says, which may await and throw.
    public func reply(_ make: @escaping @Sendable (StubCall) async throws -> StubReply) { add(.closure(make)) }

    /// Answers one call after the other in these ways. A further one is for the next stub that matches, and fails if there is none.
    public func sequence(_ replies: StubReply...) { add(.sequence(replies)) }

    private func add(_ answer: StubRule.Answer) {
        stubs.add(StubRule(target: target, place: place, answer: answer, limit: limit, delay: delay, faults: faults))
    }
}
