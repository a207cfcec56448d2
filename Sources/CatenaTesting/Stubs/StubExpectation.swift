public import Catena
public import CatenaPlatform

/// Calls that a test expects. Each step filters the calls, and throws a ``StubFailure`` if none is left.
///
/// ```swift
/// try stubs.expect(.post, "/login").json(["email": "a@b.c"]).header("X-Token", nil).times(1)
/// try stubs.expect(.post, "/login").then(.get, "/me").header("X-Token", "made-up")
/// ```
public struct StubExpectation: Sendable {
    /// The requests that match all steps so far, in the order of arrival.
    public let requests: [StubRequest]

    private let subject: String
    private let stubs: Stubs

    fileprivate init(_ stubs: Stubs, _ target: StubTarget, after former: StubExpectation? = nil) throws {
        self.stubs = stubs
        let all = stubs.requests
        let earliest = former?.requests.first?.number ?? -1
        requests = all.filter { $0.number > earliest && target.differences(from: $0).isEmpty }
        subject = former.map { "\(target) after \($0.subject)" } ?? "\(target)"
        if requests.isEmpty { throw Self.missing(subject, target, among: all) }
    }

    private init(_ former: StubExpectation, requests: [StubRequest]) {
        self.requests = requests
        subject = former.subject
        stubs = former.stubs
    }
}

extension StubExpectation {
    /// Keeps the calls of a tag, or with `nil` the calls without a tag.
    @discardableResult
    public func tag(_ tag: Tag?) throws -> StubExpectation { try meeting(.tag(tag)) }

    /// Keeps the calls with these query items, and without those whose value is `nil`. Other items are allowed.
    @discardableResult
    public func query(_ items: KeyValuePairs<String, (any ParameterValue)?>) throws -> StubExpectation {
        try items.reduce(self) { try $0.query($1.key, $1.value) }
    }

    /// Keeps the calls with these query items. Other items are allowed.
    @_disfavoredOverload
    @discardableResult
    public func query(_ items: Params) throws -> StubExpectation { try meeting(.query(items)) }

    /// Keeps the calls with this query item, or with `nil` the calls without it. Other items are allowed.
    @discardableResult
    public func query(_ name: String, _ value: (any ParameterValue)?) throws -> StubExpectation { try meeting(.query(name, value)) }

    /// Keeps the calls with this header, or with `nil` the calls without it.
    @discardableResult
    public func header(_ name: String, _ value: String?) throws -> StubExpectation { try meeting(.header(name, value)) }

    /// Keeps the calls with this JSON body. The order of members is ignored.
    @discardableResult
    public func json(_ json: JSON) throws -> StubExpectation { try meeting(.json(json, isPart: false)) }

    /// Keeps the calls whose JSON body has these members, at any depth. Other members are allowed.
    @discardableResult
    public func json(containing json: JSON) throws -> StubExpectation { try meeting(.json(json, isPart: true)) }

    /// Keeps the calls whose JSON body equals a value, encoded with the tag's encoder. The order of members is ignored.
    @_disfavoredOverload
    @discardableResult
    public func json(_ value: some Encodable & Sendable) throws -> StubExpectation { try meeting(.json(of: value, isPart: false)) }

    /// Keeps the calls whose JSON body equals this text. The order of members is ignored.
    @discardableResult
    public func json(text: String) throws -> StubExpectation { try meeting(.json(text: text)) }

    /// Keeps the calls whose JSON body has the members of a value, at any depth. Other members are allowed.
    @_disfavoredOverload
    @discardableResult
    public func json(containing value: some Encodable & Sendable) throws -> StubExpectation { try meeting(.json(of: value, isPart: true)) }

    /// Keeps the calls with these form fields. Other fields are allowed.
    @discardableResult
    public func form(_ fields: Params) throws -> StubExpectation { try meeting(.form(fields)) }

    /// Keeps the calls with these bytes as their body.
    @discardableResult
    public func body(_ data: Data) throws -> StubExpectation { try meeting(.body(data)) }

    /// Keeps the calls for which a closure returns `true`.
    @discardableResult
    public func when(
        file: StaticString = #fileID, line: UInt = #line, _ predicate: @escaping @Sendable (StubRequest) -> Bool
    ) throws -> StubExpectation {
        try meeting(.when(predicate, at: Place(file, line)))
    }

    /// Throws unless exactly `count` calls are left.
    @discardableResult
    public func times(_ count: Int) throws -> StubExpectation {
        guard requests.count == count else {
            throw StubFailure(
                description: "\(subject) was called as expected \(CatenaTesting.times(requests.count)), not \(CatenaTesting.times(count)).")
        }
        return self
    }

    /// Continues with the calls of a method and a path that were made after the first of these calls.
    @discardableResult
    public func then(_ method: HTTPMethod?, _ path: Path) throws -> StubExpectation {
        try StubExpectation(stubs, StubTarget(method, path), after: self)
    }

    /// Continues with the later calls of a method and a path, a string whose `/` and `?` are not encoded.
    @_disfavoredOverload
    @discardableResult
    public func then(_ method: HTTPMethod?, _ path: some StringProtocol) throws -> StubExpectation { try then(method, Path(String(path))) }

    private func meeting(_ condition: StubCondition) throws -> StubExpectation {
        let differences = requests.map { condition.differences($0) }
        let left = zip(requests, differences).filter { $0.1.isEmpty }.map(\.0)
        guard left.isEmpty else { return StubExpectation(self, requests: left) }
        var texts: [String] = []
        for text in differences.map(\.text) where !texts.contains(text) { texts.append(text) }
        let shown = texts.prefix(5).joined(separator: "; ") + (texts.count > 5 ? "; …" : "")
        throw StubFailure(description: "\(subject) was called \(CatenaTesting.times(requests.count)), but \(shown).")
    }

    private static func missing(_ subject: String, _ target: StubTarget, among calls: [StubRequest]) -> StubFailure {
        let beginning = "\(subject) was not called"
        let differences = calls.map { target.differences(from: $0) }
        guard let nearest = calls.indices.min(by: { differences[$0].weight < differences[$1].weight }) else {
            return StubFailure(description: beginning + ": nothing was.")
        }
        if differences[nearest].isEmpty { return StubFailure(description: "\(beginning), only before.") }
        return StubFailure(description: "\(beginning). The nearest call is \(calls[nearest]), but \(differences[nearest].text).")
    }
}

extension Stubs {
    /// Returns the requests to a path, in the order of arrival.
    ///
    /// - Parameters:
    ///   - method: The method of the requests, or `nil` for any.
    ///   - path: A path pattern, as for a stub.
    public func requests(_ method: HTTPMethod? = nil, to path: Path) -> [StubRequest] {
        let target = StubTarget(method, path)
        return requests.filter { target.differences(from: $0).isEmpty }
    }

    /// Returns the requests to a path, a string whose `/` and `?` are not encoded.
    @_disfavoredOverload
    public func requests(_ method: HTTPMethod? = nil, to path: some StringProtocol) -> [StubRequest] {
        requests(method, to: Path(String(path)))
    }

    /// Throws a ``StubFailure`` unless a call of a method and a path was made. The result's steps check more.
    ///
    /// ```swift
    /// try stubs.expect(.post, "/orders").json(["item": 7]).times(1)
    /// ```
    @discardableResult
    public func expect(_ method: HTTPMethod?, _ path: Path) throws -> StubExpectation {
        try StubExpectation(self, StubTarget(method, path))
    }

    /// Throws a ``StubFailure`` unless a call of a method and a path, a string whose `/` and `?` are not encoded, was made.
    @_disfavoredOverload
    @discardableResult
    public func expect(_ method: HTTPMethod?, _ path: some StringProtocol) throws -> StubExpectation {
        try expect(method, Path(String(path)))
    }

    /// Throws a ``StubFailure`` if a call of a method and a path was made.
    public func expectNone(_ method: HTTPMethod?, _ path: Path) throws {
        let target = StubTarget(method, path)
        if let fault = target.fault { throw StubFailure(description: fault) }
        let requests = requests(method, to: path)
        guard let first = requests.first else { return }
        throw StubFailure(description: "\(target) was called \(times(requests.count)), but was not to be: \(first).")
    }

    /// Throws a ``StubFailure`` if a call of a method and a path, a string whose `/` and `?` are not encoded, was made.
    @_disfavoredOverload
    public func expectNone(_ method: HTTPMethod?, _ path: some StringProtocol) throws { try expectNone(method, Path(String(path))) }
}
