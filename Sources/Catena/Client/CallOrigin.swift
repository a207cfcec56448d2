/// The values that a call takes over from an operation that began earlier: a loop of calls, a batch, a download or a refresh in the background.
///
/// Whatever makes several calls for one statement of the app gives each of them an origin, so that all calls have the identity of the first one.
final class CallOrigin: Sendable {
    /// The identity of the operation, or `nil` if the call determines it.
    let caller: CallIdentity?
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

    init(caller: CallIdentity?, deadlineStart: Duration? = nil, isAccepted: Bool = false) {
        (self.caller, self.deadlineStart, self.isAccepted) = (caller, deadlineStart, isAccepted)
        (configuration, task, isInBackground, isSignInAskedFor) = (nil, nil, false, nil)
    }

    /// The origin of the calls that follow `run` in a loop, under its identity and its deadline.
    ///
    /// - Parameter isOneTask: Whether they also have its configuration and its handle, as those of a poll do.
    init(after run: CallRun, isOneTask: Bool) {
        (caller, deadlineStart) = (run.loopCaller, run.deadlineStart)
        configuration = isOneTask ? (run.snapshot, run.profile) : nil
        task = isOneTask ? run.task : nil
        (isAccepted, isInBackground, isSignInAskedFor) = (false, false, nil)
    }

    init(inBackgroundOf run: CallRun, caller: CallIdentity?) {
        self.caller = caller
        configuration = (run.snapshot, run.profile)
        (isInBackground, isSignInAskedFor) = (true, run.isSignInAskedFor)
        (deadlineStart, isAccepted, task) = (nil, false, nil)
    }

    /// Returns the origin of a call that may begin later, under the identity of the user who is signed in now.
    static func batch(_ request: Request, _ client: Client) -> CallOrigin {
        let profile = client.configuration(of: request.tag).1
        let isAuthenticated = profile.configuration(of: request).value.isAuthenticated
        return CallOrigin(caller: CallRun.caller(isAuthenticated, profile), isAccepted: client.takesCalls)
    }
}

extension CallRun {
    /// The identity of the other calls of a loop that begins with this run: the one under which it was sent.
    var loopCaller: CallIdentity? { history.sender ?? (try? identity()) }
}
