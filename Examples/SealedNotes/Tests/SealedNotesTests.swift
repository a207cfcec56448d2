import Catena
import CatenaTesting
import Foundation
import SealedNotes
import Testing

@Suite struct SealedNotesTests {
    private static let key = Data(0..<32)

    private let stubs = Stubs()
    private let vault = NoteVault(key: key)
    private var notes: SealedNotes { SealedNotes(key: Self.key, client: Client(testing: stubs)) }

    /// Returns a payload as the backend seals it for a call.
    private static func reply(_ notes: some Encodable, of call: String, key: Data = key) throws -> StubReply {
        let sealed = try NoteVault(key: key).seal(try JSONEncoder().encode(notes), of: call)
        return .json(text: #"{"code": 0, "data": "\#(sealed.base64EncodedString())"}"#)
    }

    private static func id(_ call: StubRequest) -> String { call.headers[SealedNotes.callHeader] ?? "" }

    @Test("the backend opens the body of a request, and the SDK the payload of its response")
    func bothDirections() async throws {
        stubs.post("/notes").reply { [vault] call in
            let body = try vault.open(call.body, of: "request")
            var note = try JSONDecoder().decode(Note.self, from: body)
            note.id = 7
            return try Self.reply(note, of: Self.id(call))
        }
        #expect(try await notes.add("Buy tea") == Note(id: 7, text: "Buy tea"))
        let sent = try #require(stubs.requests.first)
        #expect(sent.headers[.contentType] == "application/octet-stream")
        #expect(!sent.text.contains("tea"))
    }

    @Test("each attempt is sealed anew, and its response opens with its own ID")
    func attempts() async throws {
        let client = Client(testing: stubs)
        let notes = SealedNotes(key: Self.key, client: client)
        client.configureDefaults { $0.retry = .exponential(limit: 1, methods: [.get, .post]) }
        stubs.post("/notes").reply { call in
            call.attempt == 1 ? .status(503) : try Self.reply(Note(id: 7, text: "Buy tea"), of: Self.id(call))
        }
        #expect(try await notes.add("Buy tea").id == 7)
        #expect(Set(stubs.requests.map(\.body)).count == 2 && Set(stubs.requests.map(Self.id)).count == 2)
    }

    @Test("a response that was sealed for another call, or with another key, is refused", arguments: ["other call", "other key"])
    func refused(fault: String) async throws {
        stubs.get("/notes").reply { call in
            let isOtherKey = fault == "other key"
            return try Self.reply(
                [Note(id: 1, text: "a")], of: isOtherKey ? Self.id(call) : "another", key: isOtherKey ? Data(1...32) : Self.key)
        }
        let error = await #expect(throws: APIError.self) { try await notes.all() }
        #expect(error?.kind == .decoding && error?.message.hasPrefix("transformPayload") == true)
    }

    @Test("a list without a request body is opened, too")
    func list() async throws {
        stubs.get("/notes").reply { try Self.reply([Note(id: 1, text: "a")], of: Self.id($0)) }
        #expect(try await notes.all() == [Note(id: 1, text: "a")])
    }
}
