import Catena
import CatenaTesting
import CatenaURLSession
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private struct Item: Codable, Sendable {
    let id: Int
    let name: String
}

private struct Wrapped: Codable, Sendable {
    let code: Int
    let data: Item
}

/// Measures whole calls to a server in this process: Catena with envelope and decoding, and URLSession with handwritten code.
func loopbackGroup(_ effort: Effort) async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.get("/item") { _ in .json(text: #"{"code":0,"msg":"","data":{"id":7,"name":"a name"}}"#) }
    let host = server.url

    let session = URLSession(configuration: .ephemeral)
    let client = Client(transport: URLSessionTransport.shared)
    client.configure("bench") { $0.host = server.url }
    client.commonParams { _ in ["app": "ios", "v": "3.2"] }

    let engine = Client()
    engine.configure("bench") { $0.host = server.url }
    engine.commonParams { _ in ["app": "ios", "v": "3.2"] }
    let prepared = try await client.tag("bench").get("/item").preview()

    for width in [1, 8, 64] {
        try await compare(
            "small JSON, \(width) at a time", iterations: effort.iterations(3_000), effort: effort,
            [
                Alternative(name: "URLSession + JSONDecoder by hand") { count in
                    try await concurrently(count, width: width) {
                        keep(try JSONDecoder().decode(Wrapped.self, from: try await session.body(of: handWritten(host))).data)
                    }
                },
                Alternative(name: "URLSessionTransport + JSONDecoder") { count in
                    try await concurrently(count, width: width) {
                        let body = try await URLSessionTransport.shared.send(prepared).body.collect(limit: 1_000_000)
                        keep(try JSONDecoder().decode(Wrapped.self, from: body).data)
                    }
                },
                Alternative(name: "Catena over URLSession, value(as:)") { count in
                    try await concurrently(count, width: width) {
                        keep(try await client.tag("bench").get("/item").value(as: Item.self))
                    }
                },
                Alternative(name: "Catena over its own engine, value(as:)") { count in
                    try await concurrently(count, width: width) {
                        keep(try await engine.tag("bench").get("/item").value(as: Item.self))
                    }
                },
                Alternative(name: "Catena over URLSession, execute(as:)") { count in
                    try await concurrently(count, width: width) {
                        keep(try await client.tag("bench").get("/item").execute(as: Item.self).value)
                    }
                },
            ])
    }
}

/// Runs `body` `count` times, with `width` concurrent tasks.
func concurrently(_ count: Int, width: Int, _ body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for lane in 0..<width {
            group.addTask {
                for _ in stride(from: lane, to: count, by: width) { try await body() }
            }
        }
        try await group.waitForAll()
    }
}

/// Builds the request by hand.
private func handWritten(_ host: String) throws -> URLRequest {
    guard var components = URLComponents(string: host + "/item") else { throw URLError(.badURL) }
    components.queryItems = [URLQueryItem(name: "app", value: "ios"), URLQueryItem(name: "v", value: "3.2")]
    guard let url = components.url else { throw URLError(.badURL) }
    var request = URLRequest(url: url)
    request.setValue("*/*", forHTTPHeaderField: "Accept")
    request.setValue("Catena", forHTTPHeaderField: "User-Agent")
    return request
}

extension URLSession {
    /// Uses the completion handler, because the async form can deadlock on Linux when a task is cancelled.
    fileprivate func body(of request: URLRequest) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            dataTask(with: request) { data, _, error in
                if let data { continuation.resume(returning: data) } else { continuation.resume(throwing: error ?? URLError(.unknown)) }
            }.resume()
        }
    }
}
