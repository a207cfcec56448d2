import CatenaTesting
import Foundation
import TestSupport
import Testing

@testable import Catena

extension UploadTests {
    @Suite("sent again")
    struct ResentTests {
        @Test("a redirect with 307 or 308 sends the body again, and one with 303 drops it", arguments: Subject.allCases, [307, 308, 303])
        func redirect(subject: Subject, status: Int) async throws {
            let server = try subject.newServer()
            server.post("/a") { _ in .redirect(to: "/b", status: status) }
            server.on(nil, "/b") { .text("\($0.method) \($0.text) \($0.headers["Content-Type"] ?? "")") }
            let file = try ScratchFile("the file")
            let answer = try await subject.client(server).post("/a").body(file: file.url).execute(.string).value
            #expect(answer == (status == 303 ? "GET  " : "POST the file text/plain"))
        }

        @Test("a redirect that needs a single-use stream again fails the call, and the error names the reason", arguments: Subject.allCases)
        func redirectOnce(subject: Subject) async throws {
            let server = try subject.newServer()
            server.post("/a") { _ in .redirect(to: "/b", status: 307) }
            let error = try await UploadTests.failure(
                of: subject.client(server).post("/a").body(stream: UploadTests.stream(["x"])).execute(.string))
            #expect(error.kind == .redirect)
            #expect(error.message == "The response asks for the body to be sent again, which can be read only once.")
            #expect(server.requestCount == 1)
        }

        @Test("a retry reads the current file, and a new stream", arguments: Subject.allCases)
        func retry(subject: Subject) async throws {
            let server = try subject.newServer()
            let file = try ScratchFile("first")
            server.put("/a") { request in
                guard request.visit == 1 else { return .text(request.text) }
                try file.append(" second")
                return .status(503)
            }
            let request = subject.client(server).put("/a").retry(.exponential(limit: 1, baseDelay: .zero))
            #expect(try await request.body(file: file.url).execute(.string).value == "first second")
            server.put("/b") { $0.visit == 1 ? .status(503) : .text($0.text) }
            #expect(try await request.path("/b").body(stream: { UploadTests.stream(["a", "b"]) }).execute(.string).value == "ab")
        }

        #if os(Linux)
        @Test(
            "after its connection has died, a PUT with a file is sent again, and a POST is not", .needsKeptConnections,
            arguments: [HTTPMethod.post, .put])
        func deadConnection(method: HTTPMethod) async throws {
            let server = try LoopbackServer()
            server.get("/warm") { _ in .text("1") }
            server.on(method, "/a") { $0.visit == 1 ? .connectionLost : .text($0.text) }
            let client = Client(transport: try CurlTransport())
            client.defaultHost = server.url
            let file = try ScratchFile("the file")
            _ = try await client.get("/warm").execute(.string).value
            let call: Promise<String> = client.method(method).path("/a").body(file: file.url).execute(.string)
            if method == .put {
                #expect(try await call.value == "the file")
            } else {
                #expect(try await UploadTests.failure(of: call).kind == .connectionLost)
                #expect(server.requests.filter { $0.path == "/a" }.count == 1)
            }
            // A body that can be read only once is not sent again.
            server.put("/b") { _ in .connectionLost }
            let error = try await UploadTests.failure(of: client.put("/b").body(stream: UploadTests.stream(["x"])).execute(.string))
            #expect(error.kind == .connectionLost)
            #expect(server.requests.filter { $0.path == "/b" }.count == 1)
        }
        #endif

        @Test("a call whose stream can be read only once is not retried, and its error says so", arguments: Subject.allCases)
        func retryOnce(subject: Subject) async throws {
            let server = try subject.newServer()
            server.put("/a") { _ in .status(503) }
            let request = subject.client(server).put("/a").retry(.exponential(limit: 3, baseDelay: .zero)).body(
                stream: UploadTests.stream(["x"]))
            let error = try await UploadTests.failure(of: request.execute(.string))
            #expect(error.status == 503)
            #expect(error.attempts == 1)
            #expect(error.message.contains("The call was not tried again, because its body can be read only once."))
            // A second run of the request has no body to send.
            let second = try await UploadTests.failure(of: request.execute(.string))
            #expect(second.kind == .requestBody)
            #expect(server.requestCount == 1)
        }
    }
}
