@testable import Catena

/// The test's knowledge of one call of a ``PropertyWorld``.
struct PropertyRecord: Sendable {
    enum Kind: CaseIterable {
        case typed, awaited, text, void, change, voidChange, once, endpoint, batch, values, stream, lines, events, poll, pages

        var isPosted: Bool { self == .change || self == .voidChange || self == .once }
        var isStreamed: Bool { self == .stream || self == .lines || self == .events }
    }

    /// The user whose credential the call may use.
    enum Caller: Equatable {
        /// No user, because the call is sent without a credential.
        case exempt
        /// The user whose credential the first request has.
        case open
        case nobody
        case member(PropertyMember)
    }

    let number: Int
    let kind: Kind
    let backend: Int
    let path: String
    let isPosted: Bool
    let setup: PropertySetup
    let retryLimit: Int
    /// The time after which a second attempt starts beside a slow one.
    var hedgeDelay: Duration?
    let shares: Bool
    let deadline: Duration?
    let began: Duration
    var caller: Caller
    /// Whether the client was shut down before the call. A refresh is exempt while calls wait for it.
    let isTooLate: Bool
    /// The oldest version that the call may receive, which existed before the call began.
    let floor: Int
    /// The users who were signed in while the call was in progress and not yet bound to one of them.
    var present: Set<PropertyMember> = []
    /// The persons that interceptors put into the call's requests.
    var persons: Set<String> = []
    var sent = 0
    /// The number of its requests that a server has reset.
    var resets = 0
    var redirected = 0
    var handled = 0
    /// The number of calls of a poll that have begun, and whether one is in progress. Counted only if the poll has a `before` closure.
    var polls = 0
    var isPolling = false
    /// The number of the last item of a list that its loop has received, and the pages that have been requested.
    var given = 0
    var pages: Set<Int> = []
    /// The wait that the last response asks for, or `nil` if it asks for none.
    var refusal: PropertyRefusal?
    /// The calls of the same batch.
    var mates: [Int] = []
    /// Whether the backend has been configured anew during a list or a batch, whose later calls use the new configuration.
    var spansSetups = false
    /// The version that the call's own change created.
    var version = 0
    /// Whether it has an id and a group, and is therefore observed.
    var isNamed = false
    var isSuspended = false
    /// The id whose older calls it replaces.
    var replacingID: String?
    /// Whether the call began after the client was shut down.
    var isAfterShutdown = false
    /// Whether its task was cancelled before the call began.
    var beganCancelled = false
    /// The number of the calls that had begun before it.
    var order = 0
    /// Whether the call has started. A call that a task awaits starts with the task.
    var hasBegun = false
    /// The time at which all calls were cancelled, if this one had started by then.
    var cancelled: Duration?
    /// The number of handlers that it waits for, which have a time limit of their own.
    var handlers = 0
    var hasSucceeded = false
    var hasEnded = false
    /// Cancels the call as its caller would.
    var cancel: (@Sendable () -> Void)?
}

extension PropertyRecord {
    /// The list that the call reads, if it reads one.
    var list: PropertyList? { kind == .pages ? PropertyList(path: path) : nil }
}

/// A request to which a server of a ``PropertyWorld`` has not responded yet.
struct PropertyExchange: Sendable {
    let number: Int
    let call: Int
    let request: HTTPRequest
    let began: Duration
    /// Whether the server responds at once.
    let isHasty: Bool
    /// The number of changes to the resource when the request arrived.
    let version: Int
    var isDropped = false
    var waiting: CheckedContinuation<TransportResponse, any Error>?
}

/// An error that describes a failure of the simulation.
struct PropertyViolation: Error, CustomStringConvertible {
    let description: String
}
