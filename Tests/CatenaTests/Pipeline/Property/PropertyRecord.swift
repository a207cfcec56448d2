@testable import Catena

/// What a ``PropertyWorld`` knows of one of its calls.
struct PropertyRecord: Sendable {
    enum Kind: CaseIterable {
        case typed, awaited, text, void, change, voidChange, endpoint, batch, stream, lines, events

        var isPosted: Bool { self == .change || self == .voidChange }
        var isStreamed: Bool { self == .stream || self == .lines || self == .events }
    }

    /// In whose name the call is made.
    enum Caller: Equatable {
        /// Nobody's, for it asks for no credential.
        case exempt
        /// Whoever it turns out to be with the first request.
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
    /// How long an attempt has before there is a second one beside it.
    var hedgeDelay: Duration?
    let shares: Bool
    let deadline: Duration?
    let began: Duration
    var caller: Caller
    /// Whether the client had been shut down. What refreshes a token is a part of the calls that wait for it.
    let isTooLate: Bool
    /// The version that the call must be given at least: it was there before the call began.
    let floor: Int
    /// Those who were signed in while the call was under way and open.
    var present: Set<PropertyMember> = []
    /// What code on the way has said of who is asking.
    var persons: Set<String> = []
    var sent = 0
    /// How many of its requests a server has reset.
    var resets = 0
    var redirected = 0
    var handled = 0
    /// The last version that a change of this call has made.
    var version = 0
    /// Whether it has an id and a group, and so is watched.
    var isNamed = false
    var isSuspended = false
    /// Whether the call has been made: what a task awaits is made with the task.
    var hasBegun = false
    /// When all calls were cancelled, of one that had begun by then.
    var cancelled: Duration?
    /// How many handlers it waits for: they have their own time.
    var handlers = 0
    var hasSucceeded = false
    var hasEnded = false
    /// Ends the call as its caller would.
    var cancel: (@Sendable () -> Void)?
}

/// A request that a server of a ``PropertyWorld`` has not answered yet.
struct PropertyExchange: Sendable {
    let number: Int
    let call: Int
    let request: HTTPRequest
    let began: Duration
    /// Whether the server answers without being told to.
    let isHasty: Bool
    /// How many times what is asked for had been changed when the request came.
    let version: Int
    var isDropped = false
    var waiting: CheckedContinuation<TransportResponse, any Error>?
}

/// What must not be.
struct PropertyViolation: Error, CustomStringConvertible {
    let description: String
}
