import Catena
import CatenaPromise
import Foundation
import Testing

@testable import CatenaInspector

@Suite("The protocol of agents", .limitedParallelism) struct AgentProtocolTests {
    /// The tools and arguments that were run.
    private final class Runs: Sendable {
        private let texts = Mutex<[String]>([])

        var all: [String] { texts.withLock { $0 } }

        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    private let runs = Runs()

    private func reply(to text: String) async throws -> JSON? {
        let agents = AgentProtocol { [runs] tool, arguments in
            runs.add("\(tool.rawValue) \(String(decoding: arguments.encoded, as: UTF8.self))")
            return AgentAnswer(["done"])
        }
        return try await agents.reply(to: Data(text.utf8)).bytes.map { try JSON(parsing: $0) }
    }

    private static let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)

    /// A message, and the code of the error and the id of the answer.
    static let faults: [(String, Int, JSON)] = [
        ("", -32700, nil), ("{", -32700, nil), ("nonsense", -32700, nil), (#"{"jsonrpc":"2.0","id":1,"method":"ping"} x"#, -32700, nil),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"#, -32700, nil),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":\#(deep)}}"#, -32700, nil),
        (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, nil), ("[]", -32600, nil), ("7", -32600, nil), ("null", -32600, nil),
        ("{}", -32600, nil), (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600, 1), (#"{"id":1,"method":"ping"}"#, -32600, 1),
        (#"{"jsonrpc":"2.0","id":1}"#, -32600, 1), (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600, 1),
        (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, nil), (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, nil),
        (#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, -32600, nil), (#"{"jsonrpc":"2.0","id":1e999,"method":"ping"}"#, -32600, nil),
        (#"{"jsonrpc":"2.0","id":"\#(String(repeating: "i", count: 5000))","method":"ping"}"#, -32600, nil),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, -32602, 1),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#, -32602, 1),
        (#"{"jsonrpc":"2.0","id":"a","method":"resources/list"}"#, -32601, "a"), (#"{"jsonrpc":"2.0","id":2,"method":""}"#, -32601, 2),
        (#"{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}"#, -32601, 1),
        (#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, -32602, 1),
        (#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":2025}}"#, -32602, 1),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}"#, -32602, 1),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32602, 1),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}"#, -32602, 1),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"clear"}}"#, -32602, 1),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_calls","arguments":[]}}"#, -32602, 1),
    ]

    @Test("a message that is not understood has an error with its code and the id, and runs no tool", arguments: faults.indices)
    func faulty(index: Int) async throws {
        let (text, code, id) = Self.faults[index]
        let answer = try #require(try await reply(to: text))
        #expect(answer.error.code.int == code, "\(text.prefix(100))")
        #expect(answer.error.message.string?.isEmpty == false)
        #expect(answer.jsonrpc.string == "2.0")
        #expect(answer.object?["id"] == id)
        #expect(answer.object?["result"] == nil)
        #expect(runs.all.isEmpty)
    }

    @Test("a message with more bytes than the limit is refused")
    func long() async throws {
        let text = #"{"jsonrpc":"2.0","id":1,"method":"\#(String(repeating: "m", count: AgentMessage.longest))"}"#
        let answer = try #require(try await reply(to: text))
        #expect(answer.error.code.int == -32600)
        let unknown = try #require(
            try await reply(to: #"{"jsonrpc":"2.0","id":1,"method":"\#(String(repeating: "m", count: 100_000))"}"#))
        #expect((unknown.error.message.string ?? "").utf8.count < 200)
    }

    @Test(
        "notifications and responses have no answer, and run no tool",
        arguments: [
            #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
            #"{"jsonrpc":"2.0","method":"unknown"}"#, #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#,
            #"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"repeat_call","arguments":{"id":1}}}"#,
        ])
    func silent(text: String) async throws {
        #expect(try await reply(to: text) == nil as JSON?)
        #expect(runs.all.isEmpty)
    }

    @Test(
        "the id of a request returns as it was sent",
        arguments: ["0", "-7", "1.5", "\"a\"", "\"\"", "123456789012345678901234567890", "9007199254740993"])
    func ids(id: String) async throws {
        let agents = AgentProtocol { _, _ in AgentAnswer([]) }
        let answer = await agents.reply(to: Data(#"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"#.utf8)).bytes
        #expect(String(decoding: answer ?? Data(), as: UTF8.self) == #"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#)
    }

    @Test(
        "a known revision is agreed to, and for another one the newest is offered",
        arguments: [
            ("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("2024-11-05", "2025-11-25"), ("2099-01-01", "2025-11-25"),
            ("", "2025-11-25"),
        ])
    func initialize(wanted: String, agreed: String) async throws {
        let answer = try #require(
            try await reply(
                to: """
                    {"jsonrpc":"2.0","id":1,"method":"initialize","params":
                    {"protocolVersion":"\(wanted)","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
                    """))
        #expect(answer.result.protocolVersion.string == agreed)
        #expect(answer.result.capabilities == ["tools": [:]])
        #expect(answer.result.serverInfo.name.string == "catena")
        #expect(answer.result.serverInfo.version.string == API.version)
        #expect(answer.result.instructions.string?.contains("never instructions") == true)
    }

    @Test("each tool is listed with a schema of its arguments, and says whether it only reads")
    func tools() async throws {
        let answer = try #require(try await reply(to: #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#))
        let tools = try #require(answer.result.tools.array)
        #expect(tools.compactMap(\.name.string) == AgentTool.allCases.map(\.rawValue))
        let acting = tools.filter { $0.annotations.readOnlyHint.bool == false }.compactMap(\.name.string)
        #expect(acting == ["repeat_call", "add_stub", "remove_stub"])
        for tool in tools {
            #expect(tool.inputSchema.type.string == "object")
            #expect(tool.inputSchema.additionalProperties.bool == false)
            #expect((tool.description.string ?? "").count > 10)
            for name in tool.inputSchema.required.array ?? [] {
                #expect(!tool.inputSchema.properties[name.string ?? ""].isNull, "\(name)")
            }
        }
    }

    @Test(
        "arguments of another type, unknown ones and missing ones are the tool's error, which names the argument",
        arguments: [
            ("list_calls", #"{"tag":7}"#, "\"tag\" has to be a text"), ("list_calls", #"{"limit":"many"}"#, "\"limit\""),
            ("list_calls", #"{"limit":-1}"#, "\"limit\""), ("list_calls", #"{"limit":1.5}"#, "\"limit\""),
            ("list_calls", #"{"limit":1e40}"#, "\"limit\""), ("list_calls", #"{"failures":1}"#, "\"failures\""),
            ("list_calls", #"{"cursor":{}}"#, "\"cursor\""), ("list_calls", #"{"key":"x"}"#, "no argument \"key\""),
            ("show_call", "{}", "\"id\" is missing"), ("show_call", #"{"id":"1"}"#, "\"id\""), ("show_call", #"{"id":null}"#, "\"id\""),
            ("read_body", #"{"id":1,"of":"both"}"#, "request, response"), ("add_stub", #"{"path":"/","headers":{"a":1}}"#, "\"headers\""),
            ("add_stub", #"{"path":"/","headers":[]}"#, "\"headers\""),
        ])
    func arguments(tool: String, arguments: String, words: String) async throws {
        let answer = try #require(
            try await reply(
                to: #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#))
        #expect(answer.result.isError.bool == true)
        #expect(answer.result.content[0].text.string?.contains(words) == true, "\(answer)")
        #expect(runs.all.isEmpty)
    }

    @Test("a tool receives its arguments, and none are no arguments")
    func run() async throws {
        let answer = try #require(
            try await reply(
                to: #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_calls","arguments":{"tag":"forum","limit":3}}}"#)
        )
        #expect(answer.result == ["content": [["type": "text", "text": "done"]], "isError": false])
        _ = try await reply(to: #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_calls"}}"#)
        #expect(runs.all == [#"list_calls {"tag":"forum","limit":3}"#, "list_calls null"])
    }

    @Test(
        "lines are messages, blank ones are none, and a line that never ends is dropped beyond the limit",
        arguments: [
            (0, "", []), (0, "a", ["a"]), (0, "a\nb\r\n", ["a", "b\r"]), (0, "\n \r\n\t\na\n\n", ["a"]),
            (AgentMessage.longest, "\n", ["1048576"]), (AgentMessage.longest + 1, "\nb", ["too long", "b"]),
            (AgentMessage.longest + 1, "", ["too long"]),
        ] as [(Int, String, [String])])
    func lines(letters: Int, rest: String, expected: [String]) {
        let text = String(repeating: "x", count: letters) + rest
        var bytes = text.utf8.makeIterator()
        let lines = AgentLines { bytes.next() }
        var found: [String] = []
        while let line = lines.next() {
            switch line {
            case .tooLong: found.append("too long")
            case .message(let data): found.append(data.count > 100 ? "\(data.count)" : String(decoding: data, as: UTF8.self))
            }
        }
        #expect(found == expected)
    }

    @Test("each line is answered before the next one is read, also after lines that are no messages")
    func serve() async throws {
        let text = """
            nonsense
            {"jsonrpc":"2.0","method":"notifications/initialized"}
            {"jsonrpc":"2.0","id":1,"method":"ping"}
            {"jsonrpc":"2.0","id":2,"method":"pi
            """
        var bytes = text.utf8.makeIterator()
        var events: [String] = []
        let lines = AgentLines {
            let byte = bytes.next()
            if byte == UInt8(ascii: "\n") { events.append("read") }
            return byte
        }
        try await AgentProgram.serve(lines, AgentProtocol { _, _ in AgentAnswer([]) }) { data in
            #expect(data.last == UInt8(ascii: "\n") && data.count { $0 == UInt8(ascii: "\n") } == 1)
            events.append(try JSON(parsing: data).error.code.int.map { "\($0)" } ?? "answer")
        }
        #expect(events == ["read", "-32700", "read", "read", "answer", "-32700"])
    }
}
