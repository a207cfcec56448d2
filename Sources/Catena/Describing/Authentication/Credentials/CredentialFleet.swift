/// A fleet of machines that shares the credential of a sign-in. The product CatenaFleet has the only type.
package protocol CredentialFleet<Scheme>: AnyObject, Sendable {
    associatedtype Scheme: Authenticator

    /// Takes over the credential of the other machines for a sign-in without a credential.
    func find(for signIn: Authentication<Scheme>, _ outageHandler: OutageHandler) async

    /// Writes this machine's credential to the store of the fleet, in the background.
    func publish(_ signIn: Authentication<Scheme>)

    /// Takes over the credential that another machine has stored, or refreshes the credential for the whole fleet.
    func renew(
        _ generation: Int, _ former: Scheme.Credential, of signIn: Authentication<Scheme>, _ context: AuthenticationContext
    ) async throws
}

extension Authentication {
    package var mayFindCredential: Bool { fleet != nil && state.withLock { $0.credentials.credential == nil } }

    func hasTakenOver(_ pass: AuthenticationPass) -> Bool { state.withLock { $0.takenOver == pass.generation } }

    package func findCredential(_ outageHandler: OutageHandler) async {
        guard let fleet, mayFindCredential else { return }
        await fleet.find(for: self, outageHandler)
    }
}
