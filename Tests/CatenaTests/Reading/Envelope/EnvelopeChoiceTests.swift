import Catena
import CatenaTesting
import Testing

@Suite("The envelope that reads a call's response", .limitedParallelism)
struct EnvelopeChoiceTests {
    private static let body = #"{"code":5,"msg":"m","state":"fine","payload":[1],"data":2}"#

    private func client() -> Client {
        let client = Client(transport: ClosureTransport { _ in .json(Self.body) })
        client.configureDefaults { $0.host = "https://forum.example.com" }
        client.configure("wallet") { $0.envelope = .standard.codes("state").data("payload").success("fine") }
        client.configure("plain") { $0.envelope = .raw }
        client.configure("silent") { $0.timeout = .seconds(9) }
        return client
    }

    @Test("a call's envelope beats its tag's, and a tag's beats the default")
    func precedence() async throws {
        let client = client()
        #expect(try await client.tag("wallet").get("/x").value() == [1])
        #expect(try await client.tag("plain").get("/x").value().state.string == "fine")
        #expect(try await client.tag("wallet").get("/x").envelope(.raw).value().state.string == "fine")
        #expect(try await client.tag("plain").get("/x").envelope(.standard.success(5)).value(as: Int.self) == 2)
        for tag in [nil, "silent"] as [Catena.Tag?] {
            let error = await #expect(throws: APIError.self) { try await client.tag(tag).get("/x").value() }
            #expect(error?.code == 5)
        }
        client.configureDefaults { $0.envelope = .standard.success(5) }
        #expect(try await client.get("/x").value(as: Int.self) == 2)
        #expect(try await client.tag("silent").get("/x").value(as: Int.self) == 2)
        #expect(try await client.tag("wallet").get("/x").value(as: [Int].self) == [1])
    }
}
