import Foundation
import Testing

@testable import Catena

@Suite("The rules of the standard envelope and of the strict one", .limitedParallelism)
struct EnvelopeRuleTests {
    private static func outcome(of row: RuleRow) throws -> RuleOutcome {
        RuleOutcome(try answer(row.body, status: row.status ?? 200), row.envelope, row.want)
    }

    @Test("each of 92 rows has its outcome: declared codes and places, masks, booleans at result, the strict envelope")
    func rows() throws {
        let rows = try RuleRow.all("rows")
        #expect(rows.count == 92)
        each(rows) { row in
            let outcome = try Self.outcome(of: row)
            #expect(outcome.meets(row), "\(outcome)")
        }
    }

    /// The prototype of the rules, from which the random rows come, gives another outcome for eleven of these rows, and the random rows leave their kinds out.
    @Test("each of 14 rows has the outcome that the rules state, where their prototype or the reader once gave another one")
    func differences() throws {
        let rows = try RuleRow.all("differences")
        #expect(rows.count == 14)
        each(rows) { row in
            let outcome = try Self.outcome(of: row)
            #expect(outcome.meets(row), "\(outcome)")
            #expect(outcome.isReported == (row.reported == true))
        }
    }

    @Test("2,000 random bodies with random steps and types have the outcomes of the rules")
    func random() throws {
        let rows = try RuleRow.all(ProcessInfo.processInfo.environment["CATENA_RANDOM_ROWS"] ?? "random")
        var wrong: [String: Int] = [:]
        for row in rows {
            let outcome = try Self.outcome(of: row)
            let kind =
                !outcome.meets(row) ? "outcome" : outcome.kind == "ok" && outcome.isReported != (row.reported == true) ? "report" : nil
            guard let kind else { continue }
            wrong[kind, default: 0] += 1
            if wrong[kind, default: 0] <= 12 {
                print(
                    kind, row.body, row.status ?? 200, row.want.map { "\($0)" } ?? "", row.config.map { "\($0)" } ?? "", "→", outcome.kind,
                    outcome.message, outcome.value.map { String(decoding: $0.encoded, as: UTF8.self) } ?? "-", outcome.isReported,
                    "| wanted", row.outcome, row.message ?? "", row.place ?? "", row.value ?? "", row.reported ?? false)
            }
        }
        print("random: \(rows.count) rows, wrong \(wrong)")
        #expect(wrong["outcome"] == nil)
    }

    // MARK: Types

    private static let typed: [(outcome: String, keys: String, body: String)] = {
        let file = URL.packageRoot.appending(path: "Tests/EnvelopeShapes/typed-failures.txt")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let parts = line.split(separator: "|", maxSplits: 2).map(String.init)
            return (parts[0], parts[1], parts[2])
        }
    }()

    /// Models that fail aloud, because their members are those of an envelope.
    private static let aloud = [
        #"{"code":1044,"message":"Battery low","severity":"warn"}"#, #"{"code":"E501","message":"line too long","line":3}"#,
    ]

    @Test("a clear failure fails for every type, and a model stays one: all but two of 81 rows")
    func typedRows() throws {
        var wrong: [String] = []
        for (outcome, keys, body) in Self.typed {
            let given = RuleOutcome(try answer(body), .standard, .type(AskedType(keys: keys)))
            if given.kind.hasPrefix("fail") != (outcome == "fail") || outcome != "fail" && given.kind != "ok" { wrong.append(body) }
        }
        print("typed-failures: \(Self.typed.count - wrong.count) right, \(wrong.count) wrong")
        #expect(Self.typed.count == 81)
        #expect(wrong == Self.aloud)
    }

    @Test("no type that mirrors a failure lets it pass silently")
    func mirrors() throws {
        var counts: [String: Int] = [:]
        for shape in PublicShape.all + PublicShape.fourth where (200..<300).contains(shape.status) && shape.want.outcome == "fail" {
            guard case .object(let object) = try JSON(parsing: Data(shape.body.utf8)).storage else { continue }
            let untyped = RuleOutcome(try shape.response, .standard, .untyped)
            for type in Self.mirrors(of: object) {
                let outcome = RuleOutcome(try shape.response, .standard, .type(type))
                let kind = outcome.kind != "ok" ? "fails" : untyped.kind == "ok" ? "as untyped" : outcome.isReported ? "reported" : "silent"
                if kind == "silent" { Issue.record("\(shape.body) as \(type)") }
                counts[kind, default: 0] += 1
            }
        }
        print("mirrors: \(counts)")
        #expect(counts["silent"] == nil)
        #expect((counts["fails"] ?? 0) >= 635)
    }

    private static let telling: Set = ["code", "status", "success", "errcode", "error", "errorcode", "ok", "result"]

    /// The types that mirror an object: all keys, all optional, with an id and a name, and the telling keys alone.
    private static func mirrors(of object: JSONObject) -> [AskedType] {
        let keys = object.members.map(\.key)
        let others = ["id", "name"].filter { !keys.contains($0) }
        return [
            AskedType(
                required: object.members.filter { !$0.value.isNull }.map(\.key), optional: object.members.filter(\.value.isNull).map(\.key)),
            AskedType(optional: keys), AskedType(optional: keys + others),
            AskedType(optional: ["id", "name"] + keys.filter { telling.contains($0.comparedAsKey) }),
        ]
    }
}
