// An app migrated from DanXi's wrapper: services as enums, JSON in snake case both ways, a token that is refreshed once for all calls.
import Catena
import Foundation

extension Tag {
    static let forum: Tag = "forum"
}

public struct Hole: Codable, Sendable {
    public let id: Int
    public let content: String
    let timeCreated: Date
}

struct Login: Codable, Sendable {
    let access: String
    let refresh: String
}

let signIn = Authentication(
    BearerAuthenticator { old in
        let login: Login = try await API.tag(.forum).post("/refresh").header("Authorization", "Bearer \(old.refreshToken ?? "")").value()
        return BearerToken(accessToken: login.access, refreshToken: login.refresh)
    })

public func configure() {
    API.configure(.forum) { forum in
        forum.host = "https://forum.example.com/api"
        forum.authentication = signIn
        forum.decoder = JSONDecoder()
        forum.decoder?.keyDecodingStrategy = .convertFromSnakeCase
        forum.decoder?.dateDecodingStrategy = .lenient(empty: Date(timeIntervalSince1970: 0))
    }
}

public enum Forum {
    static var base: Request { API.tag(.forum) }

    public static func logIn(_ email: String, _ password: String) async throws {
        let login: Login = try await base.post("/login").json(["email": email, "password": password]).authenticated(false).value()
        try signIn.signIn(BearerToken(accessToken: login.access, refreshToken: login.refresh))
    }

    public static func holes(in division: Int, before: Date? = nil) async throws -> [Hole] {
        try await base.get("/holes").query("division_id", division).param("before", before).value()
    }

    public static func post(_ content: String, tags: [String], specialTag: String? = nil) async throws -> Hole {
        try await base.post("/holes")
            .json(["content": content, "special_tag": specialTag, "tags": tags.map { ["name": $0] as Params }])
            .value()
    }

    public static func delete(_ id: Int, reason: String) async throws {
        try await base.delete("/holes/\(id)").json(["reason": reason]).void()
    }

    public static func favorites() async throws -> [Int] {
        try await base.get("/favorites").value()
    }

    public static func nickname() async throws -> String? {
        try await base.get("/me").value().nickname.string
    }
}

@MainActor
public final class HoleList {
    public private(set) var contents: [String] = []
    public private(set) var alert: String?

    public init() {}

    public func load(_ division: Int) async {
        do {
            contents = try await Forum.holes(in: division).map(\.content)
        } catch let error as APIError where error.kind == .missingCredential {
            alert = "Sign in, please."
        } catch {
            alert = error.localizedDescription
        }
    }

    public func open(_ id: Int) {
        Forum.base.post("/holes/\(id)/seen").execute(.void)
    }
}
