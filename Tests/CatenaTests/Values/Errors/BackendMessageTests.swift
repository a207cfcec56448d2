import CatenaTesting
import Testing

@testable import Catena

@Suite("Messages of the backend and of the library", .limitedParallelism)
struct BackendMessageTests {
    static let replies: [(name: String, reply: StubReply, message: String, backend: String)] = [
        ("a business code", .reply(code: 10086, message: "closed"), "closed", "closed"),
        ("a status with a message", .json(["message": "gone"], status: 404), "gone", "gone"),
        ("a status without a body", .status(503), "", ""),
    ]

    @Test("message and backendMessage of an error are the backend's text", arguments: replies.indices)
    func backend(index: Int) async throws {
        let (_, reply, message, backend) = Self.replies[index]
        let stubs = Stubs()
        stubs.get("/a").reply(reply)
        let error = await #expect(throws: APIError.self) { try await Client(testing: stubs).get("/a").value(as: Int.self) }
        #expect(error?.message == message && error?.backendMessage == backend)
        #expect(error?.localizedDescription.isEmpty == false && error?.localizedDescription == error?.errorDescription)
    }

    @Test("an error of the library has no backendMessage", arguments: [StubReply.offline, .timeout, .malformedJSON, .reply(data: "text")])
    func step(reply: StubReply) async throws {
        let stubs = Stubs()
        stubs.get("/a").reply(reply)
        let error = await #expect(throws: APIError.self) { try await Client(testing: stubs).get("/a").value(as: Int.self) }
        #expect(error?.message.isEmpty == false && error?.backendMessage == "")
        #expect(error.map { $0.localizedDescription == $0.message } == false)
    }
}
