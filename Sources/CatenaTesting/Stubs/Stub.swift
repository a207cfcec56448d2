public import Catena
public import CatenaPlatform

/// A stub in construction: the calls that it matches and then, with `reply(_:)` or ``sequence(_:)``, its reply.
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
    /// Matches only calls of a tag, or with `nil` only calls without a tag.
    public func tag(_ tag: Tag?) -> Stub { matching(.tag(tag)) }

    /// Matches only calls with these query items, encoded as the call's tag encodes them, and without those whose value is `nil`. Other items are
    /// allowed.
    public func query(_ items: KeyValuePairs<String, (any ParameterValue)?>) -> Stub {
        items.reduce(self) { $0.query($1.key, $1.value) }
    }

    /// Matches only calls with these query items, encoded as the call's tag encodes them. Other items are allowed.
    @_disfavoredOverload
    public func query(_ items: Params) -> Stub { matching(.query(items)) }

    /// Matches only calls with this query item, or with `nil` only calls without it. Other items are allowed.
    public func query(_ name: String, _ value: (any ParameterValue)?) -> Stub { matching(.query(name, value)) }

    /// Matches only calls with this header, or with `nil` only calls without it.
    public func header(_ name: String, _ value: String?) -> Stub { matching(.header(name, value)) }

    /// Matches only calls with this JSON body. The order of members is ignored.
    public func json(_ json: JSON) -> Stub { matching(.json(json, isPart: false)) }

    /// Matches only calls whose JSON body has these members, at any depth. Other members are allowed.
    public func json(containing json: JSON) -> Stub { matching(.json(json, isPart: true)) }

    /// Matches only calls whose JSON body equals a value, encoded with the tag's encoder. The order of members is ignored.
    @_disfavoredOverload
    public func json(_ value: some Encodable & Sendable) -> Stub { matching(.json(of: value, isPart: false)) }

    /// Matches only calls whose JSON body equals this text. The order of members is ignored.
    public func json(text: String) -> Stub { matching(.json(text: text)) }

    /// Matches only calls whose JSON body has the members of a value, at any depth. Other members are allowed.
    @_disfavoredOverload
    public func json(containing value: some Encodable & Sendable) -> Stub { matching(.json(of: value, isPart: true)) }

    /// Matches only calls with these form fields. Other fields are allowed.
    public func form(_ fields: Params) -> Stub { matching(.form(fields)) }

    /// Matches only calls with these bytes as their body.
    public func body(_ data: Data) -> Stub { matching(.body(data)) }

    /// Matches only calls for which a closure returns `true`.
    public func when(
        file: StaticString = #fileID, line: UInt = #line, _ predicate: @escaping @Sendable (StubRequest) -> Bool
    ) -> Stub {
        matching(.when(predicate, at: Place(file, line)))
    }

    /// Matches only the first `limit` calls; the next matching stub handles later calls. A sequence is repeated `limit` times.
    public func times(_ limit: Int) -> Stub { changed { $0.limit = max(limit, 0) } }

    /// Delays the response, on the call's clock. With ``Stubs/clock`` the delay takes no real time.
    public func delay(_ delay: Duration) -> Stub { changed { $0.delay = delay } }

    /// Uses one of these replies instead for some calls, chosen at random by their order of arrival, but equally in every run.
    ///
    /// - Parameters:
    ///   - replies: The replies, one of which is chosen for each such call.
    ///   - rate: The share of the calls, from 0 to 1.
    ///   - seed: The seed, which determines the positions of the calls and their replies.
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
    /// Replies to every matching call with this reply.
    public func reply(_ reply: StubReply) { add(.always(reply)) }

    /// Replies with a payload in the envelope of the call's tag; see ``/CatenaLoopback/StubReply/reply(code:data:message:status:)-(_,EncodableSendable,_,_)``.
    public func reply(code: ErrorCode? = nil, data: some Encodable & Sendable, message: String = "", status: Int = 200) {
        reply(.reply(code: code, data: data, message: message, status: status))
    }

    /// Replies with JSON as the payload, such as a literal of mixed values, in the envelope of the call's tag.
    public func reply(code: ErrorCode? = nil, data: JSON, message: String = "", status: Int = 200) {
        reply(.reply(code: code, data: data, message: message, status: status))
    }

    /// Replies with a business code in the envelope of the call's tag.
    public func reply(code: ErrorCode, message: String = "", status: Int = 200) {
        reply(.reply(code: code, message: message, status: status))
    }

    /// Replies with a status and no body.
    public func reply(status: Int) { reply(.status(status)) }

    /// Replies with this JSON, without an envelope.
    public func reply(json: JSON, status: Int = 200) { reply(.json(json, status: status)) }

    /// Replies with a value as JSON, without an envelope, encoded with the tag's encoder.
    @_disfavoredOverload
    public func reply(json value: some Encodable & Sendable, status: Int = 200) { reply(.json(value, status: status)) }

    /// Replies with bytes of JSON, without an envelope. They are not checked.
    @_disfavoredOverload
    public func reply(json data: Data, status: Int = 200) { reply(.json(data, status: status)) }

    /// Replies with this text, without an envelope.
    public func reply(text: String, status: Int = 200) { reply(.text(text, status: status)) }

    /// Replies with these bytes.
    public func reply(body: Data, contentType: String, status: Int = 200) {
        reply(.body(body, status: status, contentType: contentType))
    }

    /// Replies with the bytes of a file, whose extension determines the media type.
    public func reply(file: URL, status: Int = 200) { reply(.file(file, status: status)) }

    /// Replies to each call with the result of a closure. An error that the closure throws fails the attempt.
    public func reply(_ make: @escaping @Sendable (StubRequest) async throws -> StubReply) { add(.closure(make)) }

    /// Replies to each call with the next of these replies. The next matching stub handles further calls; without one, they fail.
    public func sequence(_ replies: StubReply...) { add(.sequence(replies)) }

    private func add(_ answer: StubRule.Answer) {
        stubs.add(StubRule(target: target, place: place, answer: answer, limit: limit, delay: delay, faults: faults))
    }
}
