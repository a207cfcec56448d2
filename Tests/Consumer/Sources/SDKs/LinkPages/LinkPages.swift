// An SDK for a service that pages by links: a token, lists that go on in the Link header, and errors that name the field.
import Catena

public struct Issue: Codable, Sendable {
    public let number: Int
    public let title: String
}

public struct Invalid: Error, Decodable {
    public struct Field: Decodable, Sendable {
        public let field: String
        public let code: String
    }

    public let message: String
    public let errors: [Field]
}

public struct Repository: Sendable {
    let client: Client
    let name: String
    var issues: Request { client.path("/repos/\(name)/issues") }

    public init(_ name: String, token: String, client: Client = Client()) {
        self.name = name
        self.client = client
        client.configureDefaults { defaults in
            defaults.host = "https://api.example.com"
            defaults.headers["X-Api-Version"] = "2022-11-28"
            defaults.authentication = .bearer(token)
            defaults.retry = .exponential(limit: 2)
        }
    }

    public func issues(label: String? = nil) async throws -> [Issue] {
        let request = issues.query(["state": "open", "labels": label, "per_page": 100])
        return try await request.items(of: Issue.self, by: .links).reduce(into: []) { $0.append($1) }
    }

    public func issue(titled title: String) async throws -> Issue? {
        try await issues.items(of: Issue.self, by: .links).first { $0.title == title }
    }

    public func open(_ title: String, body: String? = nil) async throws -> Issue {
        do {
            return try await issues.method(.post).json(["title": title, "body": body]).value()
        } catch let error as APIError where error.status == 422 {
            throw try error.decoded(as: Invalid.self)
        }
    }

    public func close(_ number: Int) async throws -> Issue {
        try await client.patch("/repos/\(name)/issues/\(number)").json(["state": "closed"]).value()
    }

    public func star() {
        client.put("/user/starred/\(name)").void()
    }
}
