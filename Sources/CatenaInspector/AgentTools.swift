import Catena
import Foundation

/// The data and the actions behind the tools of agents. The data is that of the page, without secrets.
protocol AgentSource: Sendable {
    /// Whether agents may repeat calls and set stubs.
    var agentsMayAct: Bool { get }

    /// Returns the JSON of a part of the list.
    func rows(_ query: CallQuery) -> Data
    /// Returns the JSON of one call.
    func details(of id: UInt64) throws(Doorkeeper.Refusal) -> Data
    func again(_ id: UInt64) throws(Doorkeeper.Refusal)
    /// Adds a stub from the JSON of an effect, and returns the JSON with its id.
    func addStub(_ effect: Data) throws(Doorkeeper.Refusal) -> Data
    func removeStub(_ id: String) throws(Doorkeeper.Refusal)
}

/// Answers the tools of agents from a source.
struct AgentTools: Sendable {
    typealias Refusal = Doorkeeper.Refusal

    let source: any AgentSource

    /// The bytes that a text has in a row of the list, and in the whole call.
    private static let (textInRow, textInCall) = (300, 2000)
    private static let usualLimit = "50"

    func answer(_ tool: AgentTool, _ arguments: JSON) -> AgentAnswer {
        do throws(Refusal) {
            guard tool.isReadOnly || source.agentsMayAct else {
                throw .init(
                    status: 403,
                    words: "The app lets agents only read. Its developer can change this: Inspector.start(…, agentsMayAct: true).")
            }
            switch tool {
            case .listCalls: return try list(arguments)
            case .showCall: return try page(Self.text(of: call(arguments), omitting: ["curl", "swift", "stub"]), arguments)
            case .readBody: return try body(arguments)
            case .explainEnvelope: return try page(envelope(call(arguments)), arguments)
            case .showTimeline:
                let rest: Set = ["request", "response", "envelope", "curl", "swift", "stub", "redacted", "previous"]
                return try page(Self.text(of: call(arguments), omitting: rest), arguments)
            case .copyCall: return try copy(arguments)
            case .repeatCall:
                try source.again(Self.id(arguments))
                return AgentAnswer(["The call is being sent again. list_calls shows it."])
            case .addStub: return AgentAnswer([try stub(arguments)])
            case .removeStub:
                try source.removeStub("\(Self.id(arguments))")
                return AgentAnswer(["The stub is removed."])
            }
        } catch {
            return AgentAnswer(refusal: error)
        }
    }

    private static func id(_ arguments: JSON) -> UInt64 { UInt64(arguments.id.int ?? 0) }

    private func page(_ text: String, _ arguments: JSON) throws(Refusal) -> AgentAnswer {
        try AgentAnswer(text, from: arguments.cursor.string)
    }

    // MARK: Reading

    private func list(_ arguments: JSON) throws(Refusal) -> AgentAnswer {
        let query = try CallQuery([
            ("before", arguments.cursor.string), ("tag", arguments.tag.string), ("status", arguments.status.string),
            ("text", arguments.text.string), ("failures", arguments.failures.bool == true ? "1" : nil),
            ("limit", arguments.limit.int.map { "\($0)" } ?? Self.usualLimit),
        ])
        let list = Self.parsed(source.rows(query))
        var (rows, bytes, last): ([String], Int, Int?) = ([], 0, nil)
        var hasMore = list.more.bool == true
        for row in list.calls.array ?? [] {
            // At most half a page, so that every page has a row and the next one begins behind it.
            let text = Self.text(of: row, cut: Self.textInRow).cut(to: AgentAnswer.longest / 2)
            guard bytes + text.utf8.count < AgentAnswer.longest else {
                hasMore = true
                break
            }
            rows.append(text)
            bytes += text.utf8.count + 1
            last = row.id.int
        }
        var answer = AgentAnswer([rows.isEmpty ? "There is no such call." : rows.joined(separator: "\n")])
        if hasMore, let last { answer.addNext("\(last)", "Older calls follow") }
        return answer
    }

    private func call(_ arguments: JSON) throws(Refusal) -> JSON { Self.parsed(try source.details(of: Self.id(arguments))) }

    private func body(_ arguments: JSON) throws(Refusal) -> AgentAnswer {
        let attempts = try call(arguments).attempts.array ?? []
        let wanted = arguments.attempt.int
        guard let attempt = wanted == nil ? attempts.last : attempts.first(where: { $0.number.int == wanted }) else {
            throw .init(status: 404, words: "There is no such attempt. The call has \(attempts.count).")
        }
        let body = attempt[arguments.of.string ?? ""].body
        guard let text = body.text.string ?? body.base64.string else {
            return AgentAnswer([body.hidden.string ?? "There is no body."])
        }
        var answer = try page(text, arguments)
        if body.text.isNull { answer.add("It is base64.") }
        if body.cut.bool == true { answer.add("Only the beginning of the body is kept. It has \(body.size.int ?? 0) bytes.") }
        return answer
    }

    private func envelope(_ call: JSON) -> String {
        let lines = call.envelope.array?.compactMap(\.string) ?? []
        return lines.isEmpty ? "There is no response that an envelope could be read from." : lines.joined(separator: "\n")
    }

    private func copy(_ arguments: JSON) throws(Refusal) -> AgentAnswer {
        guard let text = try call(arguments)[arguments["as"].string ?? ""].string else {
            throw .init(status: 404, words: "This call has no such form.")
        }
        return try page(text, arguments)
    }

    /// Returns a value as JSON whose texts are cut, without null members.
    private static func text(of value: JSON, cut most: Int = textInCall, omitting names: Set<String> = []) -> String {
        var output = JSONOutput()
        output.value(value, cut: most, omitting: names)
        return String(decoding: output.bytes, as: UTF8.self)
    }

    /// Returns a value that the inspector itself has written.
    private static func parsed(_ data: Data) -> JSON { (try? JSON(parsing: data)) ?? [:] }

    // MARK: Acting

    private func stub(_ arguments: JSON) throws(Refusal) -> String {
        var output = JSONOutput()
        output.object { output in
            output.member("kind", "stub")
            for name in ["path", "method", "tag", "body"] {
                guard let text = arguments[name].string else { continue }
                output.key(text: name)
                output.string(text)
            }
            for name in ["status", "delay"] {
                guard let number = arguments[name].int else { continue }
                output.key(text: name)
                output.value(JSON(integerLiteral: number))
            }
            output.key("headers")
            output.pairs(arguments.headers.object?.members.map { ($0.key, $0.value.string ?? "") } ?? [])
        }
        // Without what the agent itself has sent, of which there may be more than an answer holds.
        return Self.text(of: Self.parsed(try source.addStub(output.data)), omitting: ["headers", "body", "response"])
    }
}
