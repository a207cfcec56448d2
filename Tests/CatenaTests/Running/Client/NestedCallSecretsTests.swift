import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

/// A place of user code within a call, where the test starts another call.
struct NestedPlace: Sendable, CustomTestStringConvertible {
    let name: String
    /// Starts a call with the tag `outer` that does the work in that place.
    let run: @Sendable (Client, @escaping @Sendable () async -> Void) async -> Void

    var testDescription: String { name }

    private struct Renewing: Authenticator {
        let work: @Sendable () async -> Void
        func apply(_ credential: String, to request: inout HTTPRequest) {}
        func refresh(_ credential: String) async throws -> String {
            await work()
            return credential + "2"
        }
        func identity(of credential: String) -> String { "7" }
    }

    static let all = [
        NestedPlace(name: "interceptor") { client, work in
            _ = await client.tag("outer").get("/a").set(
                \.interceptors,
                [
                    Interceptor("call") { call, next in
                        await work()
                        return try await next(call)
                    }
                ]
            ).execute(as: Int.self).result
        },
        NestedPlace(name: "before") { client, work in
            _ = await client.tag("outer").get("/a").before { await work() }.execute(as: Int.self).result
        },
        NestedPlace(name: "common params") { client, work in
            client.commonParams { tag in
                if tag == "outer" { await work() }
                return [:]
            }
            _ = await client.tag("outer").get("/a").execute(as: Int.self).result
        },
        NestedPlace(name: "refresh") { client, work in
            let signIn = Authentication(Renewing(work: work))
            try? signIn.signIn("1")
            client.configure("outer") {
                $0.host = "https://outer.example.com"
                $0.secrets.allow("token")
                $0.authentication = signIn
            }
            _ = await client.tag("outer").get("/401").execute(as: Int.self).result
        },
        NestedPlace(name: "a task of an interceptor") { client, work in
            _ = await client.tag("outer").get("/a").set(
                \.interceptors,
                [
                    Interceptor("call") { call, next in
                        await Task { await work() }.value
                        return try await next(call)
                    }
                ]
            ).execute(as: Int.self).result
        },
    ]
}

@Suite("Secrets of a call within another call", .limitedParallelism)
struct NestedCallSecretsTests {
    @Test("a call hides the secrets of its own tag, wherever it is started and its error is shown", arguments: NestedPlace.all)
    func nested(_ place: NestedPlace) async throws {
        let stub = ClosureTransport { request in
            request.address.host == "outer.example.com" && request.address.path != "/401"
                ? .json("1")
                : .json(#"{"token":"made-up","code":5,"msg":"m token=made-up"}"#, status: request.address.path == "/401" ? 401 : 500)
        }
        let client = Client(transport: stub)
        client.configure("outer") {
            $0.host = "https://outer.example.com"
            $0.secrets.allow("token")
        }
        client.configure("inner") { $0.host = "https://inner.example.com" }
        let shown = Recorder<String>()
        await place.run(client) {
            do {
                _ = try await client.tag("inner").get("/b?token=made-up").header("X-Info", "token=made-up").value(as: Int.self)
            } catch let error as APIError {
                shown.note("\(error) \(error.request.map { "\($0) \($0.headers) \($0.url)" } ?? "")")
            } catch {
                shown.note("\(error)")
            }
            let preview = try? await client.tag("inner").get("/b?token=made-up").preview()
            shown.note("\(client.tag("inner").get("/b?token=made-up"))")
            shown.note(preview.map { "\($0) \($0.headers) \($0.address)" } ?? "none")
        }
        #expect(shown.events.count == 3)
        for text in shown.events { #expect(!text.contains("made-up"), "\(text)") }
    }
}
