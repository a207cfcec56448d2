public import Catena
public import Foundation

/// Calls that were made as a test expects. Each step throws if no such call was made, and leaves those that were.
///
/// ```swift
/// try stubs.expect(.post, "/login").json(["email": "a@b.c"]).header("X-Token", nil).times(1)
/// try stubs.expect(.post, "/login").then(.get, "/me").header("X-Token", "made-up")
/// ```
public struct StubExpectation: Sendable {
    /// The calls that are meant, in the order of arrival.
    public let calls: [StubCall]

    private let subject: String
    private let stubs: Stubs

    fileprivate init(_ stubs: Stubs, _ target: StubTarget, after former: StubExpectation? = nil) throws {
        self.stubs = stubs
        let all = stubs.calls
        let earliest = former?.calls.first?.number ?? -1
        calls = all.filter { $0.number > earliest && target.differences(from: $0).isEmpty }
        subject = former.map { "\(target) after \($0.subject)" } ?? "\(target)"
        if calls.isEmpty { throw Self.missing(subject, target, among: all) }
    }

    private init(_ former: StubExpectation, calls: [StubCall]) {
        self.calls = calls
        subject = former.subject
        stubs = former.stubs
    }
}

extension StubExpectation {
    /// Of a subsystem.
    @discardableResult
    public func tag(_ tag: Tag?) throws -> StubExpectation { try meeting(.tag(tag)) }

    /// With these query items, and perhaps others.
    @discardableResult
    public func query(_ items: Params) throws -> StubExpectation { try meeting(.query(items)) }

    /// With this header; `nil`: without it.
    @discardableResult
    public func header(_ name: String, _ value: String?) throws -> StubExpectation { try meeting(.header(name, value)) }

    /// With this JSON as the body, members in any order.
    @discardableResult
    public func json(_ json: JSON) throws -> StubExpectation { try meeting(.json(json, isPart: false)) }

    /// With these members in a JSON body, at any depth, and perhaps others.
    @discardableResult
    public func json(containing json: JSON) throws -> StubExpectation { try meeting(.json(json, isPart: true)) }

    /// With these fields in a form, and perhaps others.
    @discardableResult
    public func form(_ fields: Params) throws -> StubExpectation { try meeting(.form(fields)) }

    /// With these bytes as the body.
    @discardableResult
    public func body(_ data: Data) throws -> StubExpectation { try meeting(.body(data)) }

    /// As a closure says.
    @discardableResult
    public func when(
        file: StaticString = #fileID, line: UInt = #line, _ predicate: @escaping @Sendable (StubCall) -> Bool
    ) throws -> StubExpectation {
        try meeting(.when(predicate, at: Place(file, line)))
    }

    /// Exactly so many calls.
    @discardableResult
    public func times(_ count: Int) throws -> StubExpectation {
        guard calls.count == count else {
            throw StubFailure(
                description: "\(subject) was called as expected \(CatenaTesting.times(calls.count)), not \(CatenaTesting.times(count)).")
        }
        return self
    }

    /// Goes on with the calls that were made after the first of these.
    @discardableResult
    public func then(_ method: HTTPMethod?, _ path: String) throws -> StubExpectation {
        try StubExpectation(stubs, StubTarget(method, path), after: self)
    }

    private func meeting(_ condition: StubCondition) throws -> StubExpectation {
        let differences = calls.map { condition.differences($0) }
        let left = zip(calls, differences).filter { $0.1.isEmpty }.map(\.0)
        guard left.isEmpty else { return StubExpectation(self, calls: left) }
        var texts: [String] = []
        for text in differences.map(\.text) where !texts.contains(text) { texts.append(text) }
        let shown = texts.prefix(5).joined(separator: "; ") + (texts.count > 5 ? "; …" : "")
        throw StubFailure(description: "\(subject) was called \(CatenaTesting.times(calls.count)), but \(shown).")
    }

    private static func missing(_ subject: String, _ target: StubTarget, among calls: [StubCall]) -> StubFailure {
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
    /// The calls that were made to a path, in the order of arrival.
    ///
    /// - Parameters:
    ///   - method: Their method; `nil` means any.
    ///   - path: A pattern, as for a stub.
    public func calls(_ method: HTTPMethod? = nil, to path: String) -> [StubCall] {
        let target = StubTarget(method, path)
        return calls.filter { target.differences(from: $0).isEmpty }
    }

    /// Throws unless such a call was made; what more is expected of it follows in steps.
    @discardableResult
    public func expect(_ method: HTTPMethod?, _ path: String) throws -> StubExpectation {
        try StubExpectation(self, StubTarget(method, path))
    }

    /// Throws if such a call was made.
    public func expectNone(_ method: HTTPMethod?, _ path: String) throws {
        let calls = calls(method, to: path)
        guard let first = calls.first else { return }
        throw StubFailure(description: "\(StubTarget(method, path)) was called \(times(calls.count)), but was not to be: \(first).")
    }
}
