extension Promise {
    /// Returns a promise of all values, in the order of the promises. The first error rejects it; the other promises continue.
    ///
    /// ```swift
    /// Promise.all(ids.map { id in ForumAPI.user(id) }).then { users in self.show(users) }
    /// ```
    ///
    /// Cancelling the result cancels those promises for which no other promise or task waits. If one of them is cancelled, so is the
    /// result.
    @inlinable
    public static func all(
        _ promises: [Promise<Value>],
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<[Value]> {
        guard !promises.isEmpty else { return Promise<[Value]>(value: [], file: file, line: line) }
        return Promise<[Value]>(
            core: PromiseCollection.gather(promises.map { .waiting($0.core) }, PromiseDiagnostics.origin(file, line)) { members in
                var values: [Value] = []
                values.reserveCapacity(members.count)
                for case .fulfilled(let box) in members { values.append(Box<Value>.open(box)) }
                return .fulfilled(with: values)
            })
    }

    /// Returns a promise of all outcomes, in the order of the promises. It is never rejected.
    public static func allSettled(
        _ promises: [Promise<Value>],
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<[Result<Value, any Error>]> {
        guard !promises.isEmpty else { return Promise<[Result<Value, any Error>]>(value: [], file: file, line: line) }
        let core = PromiseGroup.watch(
            promises.map(\.core), cancelsRest: false, origin: PromiseDiagnostics.origin(file, line)
        ) { _, all in
            all().map { outcomes in .fulfilled(with: outcomes.map { $0.result(as: Value.self) }) }
        }
        return Promise<[Result<Value, any Error>]>(core: core)
    }
}

extension Promise where Value == Void {
    /// Returns a promise of the values of promises of different types, as a tuple. The first error rejects it; the other promises continue.
    ///
    /// ```swift
    /// Promise.all(ForumAPI.me(), WalletAPI.balance()).then { me, balance in self.show(me, balance) }
    /// ```
    public static func all<each Element: Sendable>(
        _ promises: repeat Promise<each Element>,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<(repeat each Element)> {
        tuple(of: repeat each promises, at: PromiseDiagnostics.origin(file, line))
    }

    /// Returns a promise of the values of two promises of different types, as a tuple. The first error rejects it; the other promise continues.
    // The compiler infers the types of this tuple's parts in later closures, unlike those of a parameter pack.
    public static func all<First: Sendable, Second: Sendable>(
        _ first: Promise<First>,
        _ second: Promise<Second>,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<(First, Second)> {
        tuple(of: first, second, at: PromiseDiagnostics.origin(file, line))
    }

    /// Returns a promise of the values of three promises of different types, as a tuple. The first error rejects it; the others continue.
    public static func all<First: Sendable, Second: Sendable, Third: Sendable>(
        _ first: Promise<First>,
        _ second: Promise<Second>,
        _ third: Promise<Third>,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<(First, Second, Third)> {
        tuple(of: first, second, third, at: PromiseDiagnostics.origin(file, line))
    }

    private static func tuple<each Element: Sendable>(
        of promises: repeat Promise<each Element>,
        at origin: PromiseOrigin?
    ) -> Promise<(repeat each Element)> {
        var members: [PromiseCollection.Member] = []
        for promise in repeat each promises { members.append(.waiting(promise.core)) }
        return Promise<(repeat each Element)>(
            core: PromiseCollection.gather(members, origin) { members in
                let boxes = members.compactMap(\.box)
                var index = 0
                func next<Next: Sendable>(_ type: Next.Type) -> Next {
                    defer { index += 1 }
                    return Box<Next>.open(boxes[index])
                }
                return .fulfilled(with: (repeat next((each Element).self)))
            })
    }
}
