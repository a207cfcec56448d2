import Catena
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Measures the preparation of a `Request`, and the same with `URLComponents` and `URLRequest` by hand.
func prepareGroup(_ effort: Effort) async throws {
    let client = Client()
    client.configure("forum") { $0.host = "https://forum.example.com/api" }
    client.commonParams { _ in ["app": "ios", "v": "3.2"] }
    client.commonHeaders { _ in ["Authorization": "Bearer made-up"] }
    let base = client.tag("forum")
    let iterations = effort.iterations(50_000)

    try await compare(
        "GET with 5 params and 3 headers", iterations: iterations, effort: effort,
        [
            Alternative(name: "URLComponents + URLRequest by hand") { count in
                for index in 0..<count { keep(handWrittenGet(room: index)) }
            },
            Alternative(name: "Catena") { count in
                for index in 0..<count {
                    let request = base.get("/v1/rooms/\(index)/users")
                        .params(["page": 1, "size": 20, "q": "caf\u{e9} & cr\u{e8}me"])
                    keep(try await request.preview())
                }
            },
            Alternative(name: "Catena, with the URL made") { count in
                for index in 0..<count {
                    let request = base.get("/v1/rooms/\(index)/users")
                        .params(["page": 1, "size": 20, "q": "caf\u{e9} & cr\u{e8}me"])
                    keep(try await request.preview().url)
                }
            },
        ])
    try await compare(
        "POST with a JSON body of 3 members", iterations: iterations, effort: effort,
        [
            Alternative(name: "URLComponents + URLRequest by hand") { count in
                for index in 0..<count { keep(try handWrittenPost(room: index)) }
            },
            Alternative(name: "Catena") { count in
                for index in 0..<count {
                    let request = base.post("/v1/rooms/\(index)/users")
                        .params(["name": "Zo\u{eb}", "age": 30, "tags": ["a", "b"]])
                    keep(try await request.preview())
                }
            },
        ])
}

private func handWrittenGet(room: Int) -> URLRequest? {
    guard var components = URLComponents(string: "https://forum.example.com/api/v1/rooms/\(room)/users") else { return nil }
    components.queryItems = [
        URLQueryItem(name: "app", value: "ios"),
        URLQueryItem(name: "v", value: "3.2"),
        URLQueryItem(name: "page", value: "1"),
        URLQueryItem(name: "size", value: "20"),
        URLQueryItem(name: "q", value: "caf\u{e9} & cr\u{e8}me"),
    ]
    guard let url = components.url else { return nil }
    var request = URLRequest(url: url)
    request.setValue("*/*", forHTTPHeaderField: "Accept")
    request.setValue("Catena", forHTTPHeaderField: "User-Agent")
    request.setValue("Bearer made-up", forHTTPHeaderField: "Authorization")
    return request
}

private struct NewUser: Encodable {
    let name: String
    let age: Int
    let tags: [String]
}

private func handWrittenPost(room: Int) throws -> URLRequest? {
    guard var components = URLComponents(string: "https://forum.example.com/api/v1/rooms/\(room)/users") else { return nil }
    components.queryItems = [URLQueryItem(name: "app", value: "ios"), URLQueryItem(name: "v", value: "3.2")]
    guard let url = components.url else { return nil }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("*/*", forHTTPHeaderField: "Accept")
    request.setValue("Catena", forHTTPHeaderField: "User-Agent")
    request.setValue("Bearer made-up", forHTTPHeaderField: "Authorization")
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = try JSONEncoder().encode(NewUser(name: "Zo\u{eb}", age: 30, tags: ["a", "b"]))
    return request
}
