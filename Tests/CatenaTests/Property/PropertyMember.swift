import Foundation

@testable import Catena

/// The credential of a user of one of the backends of a ``PropertyWorld``.
struct PropertyMember: Codable, Sendable, Hashable {
    /// The user's name, such as `Ann`.
    var name: String
    /// The number of the backend.
    var backend: Int
    /// The number of the sign-in, which is unique.
    var session: Int
    /// The number of refreshes since the sign-in.
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

    /// Whether a call of this member may continue with the credential of `other`. If users are known, the user must be the same, otherwise the session.
    func mayGoOn(as other: PropertyMember, isKnown: Bool) -> Bool {
        backend == other.backend && (isKnown ? name == other.name : session == other.session)
    }
}

struct PropertyScheme: Authenticator {
    /// Whether the credential names its user.
    let isKnown: Bool
    let requiresCredential: Bool
    let renew: @Sendable (PropertyMember) async throws -> PropertyMember

    func apply(_ credential: PropertyMember, to request: inout HTTPRequest) { request.headers["Authorization"] = credential.token }
    func refresh(_ credential: PropertyMember) async throws -> PropertyMember { try await renew(credential) }
    func identity(of credential: PropertyMember) -> String { credential.name }
    func user(of credential: PropertyMember) -> String? { isKnown ? credential.name : nil }
}

/// A response of the servers of a ``PropertyWorld``. It says which request it belongs to, and whose credential that request had.
struct PropertyReply: Codable, Sendable, Equatable {
    /// The token of the request, or "" if it had none.
    var token = ""
    /// The person that an interceptor put into the request, or "" if it put none.
    var person = ""
    /// The call to which the request belongs.
    var call: Int
    var path: String
    /// The number of changes to the resource at this path so far.
    var version = 0
    /// Whether the response is from a server, not from an interceptor.
    var isServers = true
    /// Whether a redirect or an interceptor led the request to another address.
    var isElsewhere = false

    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    var enveloped: Data { Data(#"{"code":0,"data":\#(text)}"#.utf8) }
}
