import Foundation

@testable import Catena

/// What proves who is signed in to one of the backends of a ``PropertyWorld``.
struct PropertyMember: Codable, Sendable, Hashable {
    /// Who it is, such as `Ann`.
    var name: String
    /// To which backend.
    var backend: Int
    /// Each sign-in has its own.
    var session: Int
    /// How many times the credential was renewed.
    var renewal = 0

    var token: String { "\(name).\(backend).\(session).\(renewal)" }

    init(name: String, backend: Int, session: Int, renewal: Int = 0) {
        self.name = name
        self.backend = backend
        self.session = session
        self.renewal = renewal
    }

    init?(token: String) {
        let parts = token.split(separator: ".")
        guard parts.count == 4, let backend = Int(parts[1]), let session = Int(parts[2]), let renewal = Int(parts[3]) else { return nil }
        self.init(name: String(parts[0]), backend: backend, session: session, renewal: renewal)
    }

    /// Whether a call of this member's may go on as another one: the same person where persons are known, else only the same session.
    func mayGoOn(as other: PropertyMember, isKnown: Bool) -> Bool {
        backend == other.backend && (isKnown ? name == other.name : session == other.session)
    }
}

struct PropertyScheme: Authenticator {
    /// Whether the credential says whose it is.
    let isKnown: Bool
    let requiresCredential: Bool
    let renew: @Sendable (PropertyMember) async throws -> PropertyMember

    func apply(_ credential: PropertyMember, to request: inout HTTPRequest) { request.headers["Authorization"] = credential.token }
    func refresh(_ credential: PropertyMember) async throws -> PropertyMember { try await renew(credential) }
    func identity(of credential: PropertyMember) -> String { credential.name }
    func user(of credential: PropertyMember) -> String? { isKnown ? credential.name : nil }
}

/// What the servers of a ``PropertyWorld`` say to a call: to which request, of whom.
struct PropertyReply: Codable, Sendable, Equatable {
    /// The token that came with the request; "" if there was none.
    var token = ""
    /// What code on the way said of who is asking; "" if it said nothing.
    var person = ""
    /// The call whose request it was.
    var call: Int
    var path: String
    /// How many times what is there had been changed.
    var version = 0
    /// Whether a server said this, or an interceptor that knows only of its own call.
    var isServers = true
    /// Whether the call was led to another place for it.
    var isElsewhere = false

    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    var enveloped: Data { Data(#"{"code":0,"data":\#(text)}"#.utf8) }
}
