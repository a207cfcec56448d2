import Foundation
import Testing

@testable import Catena

/// Compares the guide's table of usual shapes with the tests'.
@Suite(.limitedParallelism) struct EnvelopeGuideTests {
    private struct Words {
        let page: String
        let payload: String
        let whole: String
        let missing: String
        let undecodable: String
        let failure: String
        let colon: String
        let reported: String
        let none: String
        let blank: String
        let mark: String
    }

    private static let languages = [
        Words(
            page: "Docs/EnvelopeShapes.md", payload: "payload", whole: "whole", missing: "missing", undecodable: "not JSON",
            failure: "failure ",
            colon: ": ", reported: ", reported", none: "none", blank: "white space", mark: "byte order mark, "),
        Words(
            page: "Docs/zh-Hans/EnvelopeShapes.md", payload: "载荷", whole: "整体", missing: "缺失", undecodable: "不是 JSON", failure: "失败 ",
            colon: "：",
            reported: " （会报告）", none: "（无）", blank: "（空白）", mark: "字节顺序标记，"),
    ]

    private static func row(_ shape: EnvelopeShape, _ words: Words) -> String {
        let mark = "\u{FEFF}"
        let body =
            if shape.body.isEmpty {
                words.none
            } else if shape.body.allSatisfy(\.isWhitespace) {
                words.blank
            } else if shape.body.hasPrefix(mark) {
                words.mark + "`\(String(shape.body.unicodeScalars.dropFirst()))`"
            } else {
                "`\(shape.body)`"
            }
        let outcome =
            switch shape.wanted {
            case .payload: words.payload
            case .whole: words.whole
            case .missing: words.missing
            case .null: "null"
            case .undecodable, .unrecognized: words.undecodable
            case .failure(let code, let message):
                words.failure + "`\(code)`" + (message.flatMap { $0.isEmpty ? nil : words.colon + $0 } ?? "")
            }
        return "| \(body) | \(shape.status) | \(outcome)\(shape.isReported ? words.reported : "") |"
    }

    @Test("the guide's table has a row for each shape of the tests, in both languages", arguments: languages.indices)
    func table(language: Int) throws {
        let words = Self.languages[language]
        let text = try String(contentsOf: .packageRoot.appending(path: words.page), encoding: .utf8)
        let lines = Set(text.split(separator: "\n").map(String.init))
        for shape in UsualShapes.all { #expect(lines.contains(Self.row(shape, words)), "\(words.page) lacks \(Self.row(shape, words))") }
    }
}
