/// A request with the client and the configuration of the moment in which it was executed, to which its call keeps.
final class Execution: Sendable {
    let request: Request
    let client: Client
    let snapshot: Snapshot
    let profile: ResolvedProfile

    init(_ request: Request) {
        self.request = request
        client = request.client ?? .shared
        snapshot = client.snapshot
        profile = snapshot.profile(for: request.tag)
    }

    /// What is wrong with the envelope, if anything is.
    var envelopeFault: (any Error)? {
        if let envelope = request.options.envelope { return envelope.places.fault }
        return profile.envelope.places.fault
    }
}
