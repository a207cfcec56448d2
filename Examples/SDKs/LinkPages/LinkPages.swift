// An SDK for a service with a token, lists that continue in the Link header, and errors that name the field.
import Catena

/// An issue of a repository.
public struct Issue: Codable, Sendable {
    /// The number that the service assigned.
    public let number: Int
    public let title: String
}

/// The error if the service refuses fields of an issue.
public struct Invalid: Error, Decodable {
    /// A field and the code of its error.
    public struct Field: Decodable, Sendable {
        public let field: String
        public let code: String
    }

    public let message: String
    public let errors: [Field]
}

/// A repository, as the user of a token sees it.
public struct Repository: Sendable {
    let client: Client
    let owner: String
    let name: String
    var issues: Request { client.path("/repos/\(owner)/\(name)/issues") }

    /// - Parameters:
    ///   - owner: The user to whom it belongs, such as "ann".
    ///   - name: Its name, such as "garden".
    ///   - token: The access token of the user.
    ///   - client: The client. By default a new one, so that the SDK and the app do not share settings. Tests pass one with stubs.
    public init(owner: String, name: String, token: String, client: Client = Client()) {
        self.owner = owner
        self.name = name
        self.client = client
        client.configureDefaults { defaults in
            defaults.host = "https://api.example.com"
            defaults.headers["X-Api-Version"] = "2022-11-28"
            defaults.authentication = .bearer(token)
            defaults.retry = .exponential(limit: 2)
        }
    }

    /// Returns all open issues, from all pages.
    public func issues(label: String? = nil) async throws -> [Issue] {
        let request = issues.query(["state": "open", "labels": label, "per_page": 100])
        return try await request.items(of: Issue.self, by: .links).reduce(into: []) { $0.append($1) }
    }

    /// Returns the first issue with this title. Requests no page after the one with the issue.
    public func issue(titled title: String) async throws -> Issue? {
        try await issues.items(of: Issue.self, by: .links).first { $0.title == title }
    }

    /// Opens an issue.
    ///
    /// - Throws: ``Invalid`` if the service refuses a field.
    public func open(_ title: String, body: String? = nil) async throws -> Issue {
        do {
            return try await issues.method(.post).json(["title": title, "body": body]).value()
        } catch let error as APIError where error.status == 422 {
            throw try error.decoded(as: Invalid.self)
        }
    }

    /// Closes an issue.
    public func close(_ number: Int) async throws -> Issue {
        try await client.patch("/repos/\(owner)/\(name)/issues/\(number)").json(["state": "closed"]).value()
    }

    /// Stars the repository without waiting for the response. The app's handler for unhandled errors receives a failure.
    public func star() {
        client.put("/user/starred/\(owner)/\(name)").execute(.void)
    }
}
