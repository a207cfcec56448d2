import Catena
import CatenaTesting
import Foundation
import Testing

/// All secrets here are made up.
@Suite("Recordings of credentials with params", .limitedParallelism) struct DigestRecordingTests {
    private let folder = RecordingFolder()

    /// A server that asks for a digest. Its response contains names and harmless values of the credential.
    private let server = ClosureTransport { request in
        guard request.headers.contains("Authorization") else {
            let challenge = #"Digest realm="made-up camera", nonce="made-up-nonce", opaque="made-up-opaque", qop="auth", algorithm=SHA-256"#
            return .json(#"{"code":401,"message":"made-up camera"}"#, status: 401, headers: ["WWW-Authenticate": challenge])
        }
        return .json(
            #"{"code":0,"data":{"username":"administrator","algorithm":"SHA-256","response":"00000001","uri":"/status?of=all"}}"#,
            headers: ["Authentication-Info": "nc=00000001, qop=auth"])
    }

    private func client(_ recording: Recording) -> Client {
        let client = Client(testing: recording)
        client.configure("camera") { camera in
            camera.host = "https://camera.test"
            camera.authentication = .digest(user: "administrator", password: "made-up-password")
        }
        return client
    }

    @Test("a call with Digest authentication is recorded without its digest, and is replayed with its challenge")
    func digest() async throws {
        let recording = try Recording(folder.file, mode: .record, over: server)
        try await client(recording).tag("camera").get("/status?of=all").execute(.void).value
        try recording.save()
        let credential = try #require(server.requests.last?.headers["Authorization"])
        let digest = try #require(credential.firstMatch(of: #/response="([0-9a-f]+)"/#)).output.1
        #expect(folder.text.contains("made-up camera") && !folder.text.contains(digest))

        let network = ClosureTransport { _ in throw APIError(.offline, message: "There is no network in replay.") }
        let replay = try Recording(folder.file, mode: .replay, over: network)
        let response = try await client(replay).tag("camera").get("/status?of=all").execute(.response(as: JSON.self)).value
        #expect(response.attempts == 2)
        #expect(response.payload.username.string == "administrator")
        try replay.verify()
    }

    @Test("a challenge with the scheme of the credential is recorded")
    func scheme() async throws {
        let server = ClosureTransport { _ in .json("{}", headers: ["WWW-Authenticate": "Negotiate"]) }
        let recording = try Recording(folder.file, mode: .record, over: server)
        try await Client(testing: recording).host("https://forum.test").get("/a").header("Authorization", "Negotiate bWFkZS11cA==").execute(
            .void
        )
        .value
        try recording.save()
        #expect(folder.text.contains("Negotiate") && !folder.text.contains("bWFkZS11cA"))
    }

    @Test(
        "a quoted value of a credential is not recorded in a response either",
        arguments: ["made-up-id", "made-up mac, \"quoted\"", "made-up-hash"])
    func quoted(secret: String) async throws {
        let server = ClosureTransport { _ in .text("hello \(secret)") }
        let recording = try Recording(folder.file, mode: .record, over: server)
        let credential = #"Hawk id="made-up-id", mac="made-up mac, \"quoted\"", hash="made-up-hash""#
        _ = try await Client(testing: recording).host("https://forum.test").get("/a").header("Authorization", credential).execute(.string)
            .value
        #expect(throws: RecordingError.self) { try recording.save() }
        #expect(folder.text.isEmpty)
    }
}
