import Foundation

/// Sends name and password as `Authorization: Basic …` (RFC 7617).
public struct BasicAuthenticator: Authenticator {
    public init() {}

    /// Name and password do not change by themselves.
    public var canRefresh: Bool { false }

    /// Throws an ``APIError`` if the name has a colon, which would end it (RFC 7617 §2).
    public func apply(_ credential: Password, to request: inout HTTPRequest) throws {
        guard !credential.user.contains(":") else {
            throw APIError.invalid("authentication", "the user's name contains a colon")
        }
        let pair = Data("\(credential.user):\(credential.password)".utf8)
        request.headers["Authorization"] = "Basic \(pair.base64EncodedString())"
    }

    public func refresh(_ credential: Password) async throws -> Password { credential }

    public func identity(of credential: Password) -> String { credential.user }
}
