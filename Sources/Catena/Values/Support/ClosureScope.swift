import CatenaPromise

/// A closure or another piece of code of the app that calls run.
struct AppClosure: Hashable, Sendable {
    /// The step that set the closure.
    enum Step: Hashable, Sendable {
        case commonParams, commonHeaders, errorMessages, observer, before
        /// Refreshes or returns a credential.
        case credential
        /// The error handler of a tag.
        case errorHandler(Tag?)
        /// The error handler of the client.
        case clientErrorHandler
        case interceptor(String)
        /// A host provider of a type.
        case host(ObjectIdentifier)
        /// A signer of a type.
        case signer(ObjectIdentifier)
        /// The closures of a retry policy.
        case retry
    }

    private enum Owner: Hashable, Sendable {
        /// The client that runs the closure, or the object that has it.
        case object(ObjectIdentifier)
        case number(Int)
    }

    private static let counter = AtomicCounter()

    let step: Step
    private let owner: Owner

    init(_ step: Step, of owner: AnyObject) {
        (self.step, self.owner) = (step, .object(ObjectIdentifier(owner)))
    }

    /// Creates an identity that no other closure has.
    init(_ step: Step) {
        (self.step, owner) = (step, .number(Self.counter.add(1)))
    }
}

/// The closures of the app that the current task is part of.
///
/// A call that begins in a closure goes without that closure. Otherwise a closure that makes a call would run itself, and never end.
enum ClosureScope {
    /// One run of a closure. A `Task` that outlives the run is no longer part of it.
    final class Run: Sendable {
        let closure: AppClosure
        /// The number of the call whose error the closure handles, or `nil` for other closures.
        fileprivate let callID: UInt64?
        private let hasEnded = AtomicFlag()

        fileprivate init(_ closure: AppClosure, _ callID: UInt64? = nil) {
            (self.closure, self.callID) = (closure, callID)
        }

        var isUnderWay: Bool { !hasEnded.isSet }
        /// Whether the run refreshes or returns a credential, for which other calls wait.
        var isRefresh: Bool { closure.step == .credential && isUnderWay }

        fileprivate func end() { hasEnded.set() }
    }

    /// The runs that a thread is part of, until a closure that does not wait returns.
    final class Mark: Sendable {
        fileprivate let runs: [Run]

        fileprivate init(_ runs: [Run]) {
            self.runs = runs
        }

        convenience init(_ closure: AppClosure) { self.init([Run(closure)]) }
    }

    @TaskLocal private static var current: [Run] = []
    private static let isUsed = AtomicFlag()

    /// The runs that the current code is part of. Each call asks for them, which costs it next to nothing if no closure has ever run.
    static var underWay: [Run] {
        guard isUsed.isSet else { return [] }
        let current = current
        let ofTask = current.isEmpty ? current : current.filter(\.isUnderWay)
        return (ThreadMark.current as? Mark).map { $0.runs + ofTask } ?? ofTask
    }

    /// Whether the current task is part of any refresh. Its requests do not wait for a place, because calls that wait for the refresh may hold all
    /// places.
    static var isRefreshing: Bool { underWay.contains { $0.isRefresh } }

    /// Whether the current task is part of a refresh of this sign-in.
    static func isRefreshing(_ authentication: AnyObject) -> Bool {
        let refresh = AppClosure(.credential, of: authentication)
        return underWay.contains { $0.closure == refresh }
    }

    /// The numbers of the calls whose errors the current task handles.
    static var callsInHand: [UInt64] { underWay.compactMap(\.callID) }

    /// Runs a closure that may wait.
    ///
    /// - Parameters:
    ///   - within: The runs in which the call of the closure began.
    ///   - callID: The number of the call whose error the closure handles.
    static func run<Value>(
        _ closure: AppClosure, within: [Run] = [], handling callID: UInt64? = nil, isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Value
    ) async rethrows -> Value {
        let run = Run(closure, callID)
        defer { run.end() }
        if !isUsed.isSet { isUsed.set() }
        return try await $current.withValue(joined(underWay, within) + [run], operation: work)
    }

    /// Returns the runs in progress of two lists, each once. Otherwise the list would double with each closure inside another.
    private static func joined(_ runs: [Run], _ others: [Run]) -> [Run] {
        runs + others.filter { other in other.isUnderWay && !runs.contains { $0 === other } }
    }

    /// Runs work that a closure encloses without being its author, such as the stages behind an interceptor.
    static func run<Value>(
        in scope: [Run], isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
    ) async rethrows -> Value {
        try await $current.withValue(scope, operation: work)
    }

    /// Runs a closure that does not wait. It needs no value of the task, because a task that it begins outlives it.
    static func runPlain<Value>(_ mark: Mark, within: [Run] = [], _ work: () throws -> Value) rethrows -> Value {
        if !isUsed.isSet { isUsed.set() }
        let former = ThreadMark.set(within.isEmpty ? mark : Mark(joined(mark.runs, within)))
        defer { former.restore() }
        return try work()
    }
}
