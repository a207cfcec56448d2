/// The values that a call takes over from an operation that began earlier: a loop of calls, a batch, a download or a refresh in the background.
///
/// Whatever makes several calls for one statement of the app gives each of them an origin, so that all calls have the identity of the first one.
struct CallOrigin: Sendable {
    /// The identity of the operation, or `nil` if the call determines it.
    var caller: CallIdentity?
    /// The identity that the first call of the operation determines for all, or `nil` if no other call depends on it.
    var shared: SharedCaller?
    /// The moment from which the deadline counts, or `nil` if it counts from the start of the call.
    var deadlineStart: Duration?
    /// Whether the client has accepted the operation, so that a later shutdown does not refuse the call.
    var isAccepted = false
    /// The configuration of the operation, or `nil` if the call takes the one of its own start.
    var configuration: (snapshot: Snapshot, profile: ResolvedProfile)?
    /// The handle of the operation, or `nil` if the call has one of its own.
    var task: CallTask?
    /// Whether the call refreshes a cached response in the background.
    var isInBackground = false
    /// Whether the call itself requires the credential of the signed-in user, or `nil` if its request says it.
    var isSignInAskedFor: Bool?
}

extension CallOrigin {
    /// The origin of the calls that follow `run` in a loop, under its identity and its deadline.
    ///
    /// - Parameter isOneTask: Whether they also have its configuration and its handle, as those of a poll do.
    init(after run: CallRun, isOneTask: Bool) {
        self.init(caller: run.loopCaller, deadlineStart: run.deadlineStart)
        guard isOneTask else { return }
        configuration = (run.snapshot, run.profile)
        task = run.task
    }

    init(inBackgroundOf run: CallRun, caller: CallIdentity?) {
        self.init(
            caller: caller, configuration: (run.snapshot, run.profile), isInBackground: true, isSignInAskedFor: run.isSignInAskedFor)
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
            return CallOrigin(caller: CallRun.caller(isAuthenticated, profile), isAccepted: client.takesCalls)
        }
        let key = ObjectIdentifier(authentication as AnyObject)
        let shared = known[key] ?? SharedCaller()
        if known.updateValue(shared, forKey: key) == nil { _ = shared.bind(CallRun.caller(true, profile)) }
        return CallOrigin(shared: shared, isAccepted: client.takesCalls)
    }
}

extension CallRun {
    /// The identity of the other calls of a loop that begins with this run: the one under which it was sent.
    var loopCaller: CallIdentity? { history.sender ?? (try? identity()) }
}
