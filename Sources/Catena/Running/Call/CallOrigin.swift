/// The values that a call takes over from an operation that began earlier: a loop of calls, a batch, a download or a refresh in the background.
///
/// Whatever makes several calls for one statement of the app gives each of them an origin, so that all calls have the identity of the first one.
final class CallOrigin: Sendable {
    /// The identity of the operation, or `nil` if the call determines it.
    let caller: CallIdentity?
    /// The identity that the first call of the operation determines for all, or `nil` if no other call depends on it.
    let shared: SharedCaller?
    /// The moment from which the deadline counts, or `nil` if it counts from the start of the call.
    let deadlineStart: Duration?
    /// Whether the client has accepted the operation, so that a later shutdown does not refuse the call.
    let isAccepted: Bool
    /// The configuration of the operation, or `nil` if the call takes the one of its own start.
    let configuration: (snapshot: Snapshot, profile: ResolvedProfile)?
    /// The handle of the operation, or `nil` if the call has one of its own.
    let task: CallTask?
    /// Whether the call refreshes a cached response in the background.
    let isInBackground: Bool
    /// Whether the call itself requires the credential of the signed-in user, or `nil` if its request says it.
    let isSignInAskedFor: Bool?

    init(caller: CallIdentity?, deadlineStart: Duration? = nil) {
        (self.caller, self.deadlineStart) = (caller, deadlineStart)
        (shared, configuration, task, isAccepted, isInBackground, isSignInAskedFor) = (nil, nil, nil, false, false, nil)
    }

    /// The origin of a call of a batch, which may begin later.
    init(ofBatchAs caller: CallIdentity?, _ shared: SharedCaller?, isAccepted: Bool) {
        (self.caller, self.shared, self.isAccepted) = (caller, shared, isAccepted)
        (deadlineStart, configuration, task, isInBackground, isSignInAskedFor) = (nil, nil, nil, false, nil)
    }

    /// The origin of the calls that follow `run` in a loop, under its identity and its deadline.
    ///
    /// - Parameter isOneTask: Whether they also have its configuration and its handle, as those of a poll do.
    init(after run: CallRun, isOneTask: Bool) {
        (caller, deadlineStart) = (run.loopCaller, run.deadlineStart)
        configuration = isOneTask ? (run.snapshot, run.profile) : nil
        task = isOneTask ? run.task : nil
        (shared, isAccepted, isInBackground, isSignInAskedFor) = (nil, false, false, nil)
    }

    init(inBackgroundOf run: CallRun, caller: CallIdentity?) {
        self.caller = caller
        configuration = (run.snapshot, run.profile)
        (isInBackground, isSignInAskedFor) = (true, run.isSignInAskedFor)
        (shared, deadlineStart, isAccepted, task) = (nil, nil, false, nil)
    }
}

/// The identity of calls that may begin at the same time, such as those of a batch. The first one that knows it determines it.
final class SharedCaller: Sendable {
    private let bound = Mutex<CallIdentity?>(nil)

    /// Returns the identity of the calls, which is `present` if they have none yet. It is `nil` if neither is known.
    func bind(_ present: CallIdentity?) -> CallIdentity? {
        bound.withLock { bound in
            bound = bound ?? present
            return bound
        }
    }
}

/// The identities of the calls of a batch: one for each sign-in.
///
/// The sign-in is read once, because another user may sign in on another thread between two readings.
struct BatchCallers {
    private var known: [ObjectIdentifier: SharedCaller] = [:]

    /// Returns the origin of a call that may begin later, under the identity of the user who is signed in now.
    mutating func origin(of request: Request, _ client: Client) -> CallOrigin {
        let profile = client.configuration(of: request.tag).1
        let isAuthenticated = profile.configuration(of: request).value.isAuthenticated
        // The token of a closure belongs to an unknown user, and may be another one for each call.
        guard isAuthenticated, let authentication = profile.authentication, !(authentication is TokenAuthentication) else {
            return CallOrigin(ofBatchAs: CallRun.caller(isAuthenticated, profile), nil, isAccepted: client.takesCalls)
        }
        let key = ObjectIdentifier(authentication as AnyObject)
        let shared = known[key] ?? SharedCaller()
        if known.updateValue(shared, forKey: key) == nil { _ = shared.bind(CallRun.caller(true, profile)) }
        return CallOrigin(ofBatchAs: nil, shared, isAccepted: client.takesCalls)
    }
}

extension CallRun {
    /// The identity of the other calls of a loop that begins with this run: the one under which it was sent.
    var loopCaller: CallIdentity? { history.sender ?? (try? identity()) }
}
