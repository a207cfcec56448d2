import Foundation
import Testing

@testable import Catena

/// A body of a real backend, its expected reading and the reading by the rules.
struct PublicShape: Decodable, Sendable, CustomStringConvertible {
    struct Want: Decodable, Sendable {
        let outcome: String
        let payload: String?
        let code: [String]?
        let message: [String]?
    }

    let id: String
    let status: Int
    let contentType: String
    let body: String
    let want: Want
    let given: String

    var description: String { id }

    var response: HTTPResponse {
        get throws {
            try answer(body, status: status, headers: ["Content-Type": contentType])
        }
    }

    /// The shapes from which the rules were made.
    static let all = shapes("shapes")
    /// Shapes that were collected later. Their expected readings were written before the rules read them.
    static let further = shapes("further")
    /// Shapes of odd APIs.
    static let fourth = shapes("shapes4")

    /// Judges a reading. `read` throws the failure with its message, or nothing if the call succeeds.
    func judged(_ read: () throws -> Void) -> String {
        let isFailureWanted = want.outcome == "fail"
        do {
            try read()
            return isFailureWanted ? "failure passed" : "right"
        } catch let error as APIError {
            guard isFailureWanted else { return "success failed" }
            return want.code?.contains("\(error.code)") == true && want.message?.contains(error.message) == true ? "right" : "words lost"
        } catch {
            return "\(error)"
        }
    }

    /// The expected payload of a success.
    func wantedPayload() throws -> JSON {
        let root = try JSON(parsing: Data(body.utf8))
        return want.payload == "whole" ? root : try root(want.payload ?? "", as: JSON.self)
    }

    private static func shapes(_ name: String) -> [PublicShape] {
        let file = URL.packageRoot.appending(path: "Tests/EnvelopeShapes/\(name).json")
        return (try? JSONDecoder().decode([PublicShape].self, from: Data(contentsOf: file))) ?? []
    }
}

@Suite("The standard envelope and the bodies of public APIs", .limitedParallelism)
struct PublicShapeTests {
    @Test("each shape has the reading that is written down for the rules, right or not")
    func read() {
        each(PublicShape.all + PublicShape.further + PublicShape.fourth) { shape in
            let judged = try judged(shape)
            #expect(judged == shape.given)
        }
    }

    private func counts(_ shapes: [PublicShape]) throws -> [String: Int] {
        try shapes.reduce(into: [:]) { $0[try judged($1), default: 0] += 1 }
    }

    @Test("of 338 shapes, eight are not read right, and one of them passes silently")
    func figures() throws {
        let counts = try counts(PublicShape.all)
        #expect(
            counts == [
                "right": 330, "words lost": 2, "failure passed": 1, "success failed": 3, "failure passed silently": 1, "wrong payload": 1,
            ])
    }

    @Test("of 100 further shapes, three are not read right")
    func further() throws {
        let counts = try counts(PublicShape.further)
        #expect(counts == PublicShape.further.reduce(into: [:]) { $0[$1.given, default: 0] += 1 })
    }

    @Test("of 280 shapes of odd APIs, 226 are read right, and eleven failures pass silently")
    func fourth() throws {
        let counts = try counts(PublicShape.fourth)
        #expect(counts["right"] == 226)
        #expect(counts["failure passed silently"] == 11)
    }

    private func judged(_ shape: PublicShape) throws -> String {
        var passed: EnvelopeResult?
        let judged = shape.judged { passed = try EnvelopeReader(envelope: .standard, decoded: JSON.self).read(shape.response) }
        guard let passed else { return judged }
        if shape.want.outcome == "fail" { return passed.contents.suspectedFailure == nil ? judged + " silently" : judged }
        let given = try ResultDecoder<JSON>.json.value(passed) { JSONPayloadDecoder() }
        return given == (try shape.wantedPayload()) ? judged : "wrong payload"
    }
}

@Suite("Models of public resources, which are not envelopes", .limitedParallelism)
struct PublicModelTests {
    private static let rows: [(name: String, mark: String, body: Data)] = {
        let file = URL.packageRoot.appending(path: "Tests/EnvelopeShapes/models.txt")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            guard let bar = line.firstIndex(of: "|") else { return nil }
            let name = line[..<bar]
            let mark = name.last == "!" || name.last == "-" ? String(name.suffix(1)) : ""
            return (String(name.dropLast(mark.count)), mark, Data(line[line.index(after: bar)...].utf8))
        }
    }()

    @Test("there are 250 models, each with a type of its own")
    func count() {
        #expect(Self.rows.count == 250)
        #expect(Set(Self.rows.map(\.name)) == Set(PlainModels.all.keys))
    }

    /// The models that look like failures with words. They fail for their types, too, and take `.envelope(.raw)`.
    private static let failing: Set = ["docker_wait_err", "translation2", "status_dict", "error_catalog"]

    @Test("a typed call returns each resource whole but those that look like failures, which it reports")
    func typed() {
        each(Self.rows) { name, _, body in
            let type = try #require(PlainModels.all[name])
            if Self.failing.contains(name) {
                #expect(throws: APIError.self) { try compare(type, body) }
            } else {
                try compare(type, body)
            }
        }
    }

    private func compare<Model: PlainModel>(_ type: Model.Type, _ body: Data) throws {
        let wanted = try JSONDecoder().decode(type, from: body)
        #expect(try Envelope.standard.value(of: answer(body), as: type, decoder: JSONDecoder()) == wanted)
    }

    @Test("a call without a type returns all but six resources whole")
    func untyped() {
        each(Self.rows.filter { $0.mark != "!" }) { _, mark, body in
            let value = try? Envelope.standard.value(of: answer(body), as: JSON.self, decoder: JSONDecoder())
            let whole = try JSON(parsing: body)
            #expect((value == whole) == (mark != "-"))
        }
    }
}
