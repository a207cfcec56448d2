import Foundation
import Testing

@testable import Catena

private struct FormatterFailure: Error, Equatable {}

private func nested(_ levels: Int) -> Params {
    (1..<levels).reduce(["x": 1]) { inner, _ in ["x": inner] }
}

/// Runs `body` on a stack as small as that of a secondary thread on Apple platforms.
func onSmallStack<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        let thread = Thread { continuation.resume(returning: body()) }
        thread.stackSize = 512 * 1024
        thread.start()
    }
}

@Suite("Parameters that cannot be sent", .limitedParallelism)
struct ParameterErrorTests {
    enum Encoder: CaseIterable {
        case query, fields, json, propertyList

        func encode(_ params: Params, _ style: ParameterStyle = .init()) throws(ParameterError) {
            switch self {
            case .query: _ = try URLQueryEncoder.encode(params, style: style)
            case .fields: _ = try ParameterField.fields(of: params, style: style)
            case .json: _ = try JSONBody.encode(params, style: style)
            case .propertyList: _ = try PropertyListBody.encode(.object(params), style: style)
            }
        }
    }

    static let unsendable: [(Params, String)] = [
        (["n": Double.nan], "n"),
        (["a": 1, "n": Double.infinity], "n"),
        (["n": -Float.infinity], "n"),
        (["n": Decimal.nan], "n"),
        (["filter": ["sizes": [1.0, 2.0, Double.nan]]], "filter.sizes[2]"),
        (["list": [["a": [[Double.nan]]]]], "list[0].a[0][0]"),
        (["n": ParameterNode.number("01")], "n"),
        (["n": ParameterNode.number("1 ")], "n"),
        (["n": ParameterNode.number("")], "n"),
        (["n": ParameterNode.number("\"x\"")], "n"),
        (["d": Date(timeIntervalSince1970: 253_402_300_800)], "d"),
        (["d": Date(timeIntervalSince1970: .nan)], "d"),
    ]

    @Test("every encoder refuses a value that cannot be sent, and the error names its key path")
    static func keyPathRows() {
        each(Encoder.allCases, unsendable.indices) { try Self().keyPath(encoder: $0, row: $1) }
    }

    func keyPath(encoder: Encoder, row: Int) throws {
        let (params, keyPath) = Self.unsendable[row]
        let error = #expect(throws: ParameterError.self) { try encoder.encode(params) }
        #expect(error?.keyPath == keyPath)
        #expect(error.map { "\($0)" }?.hasPrefix("The parameter '\(keyPath)' cannot be sent: ") == true)
    }

    @Test("a property list refuses characters that are invalid in XML, and numbers beyond a double", arguments: ["a\u{0}b", "\u{1B}"])
    func propertyList(text: String) {
        #expect(throws: ParameterError.self) { try Encoder.propertyList.encode(["k": text]) }
        #expect(throws: ParameterError.self) { try Encoder.propertyList.encode([text: 1]) }
        #expect(throws: ParameterError.self) { try Encoder.propertyList.encode(["k": ParameterNode.number("1e400")]) }
    }

    @Test("an array joined by commas refuses arrays and objects")
    func comma() {
        var style = ParameterStyle()
        for arrays in [ParameterStyle.Arrays.comma, .bareComma] {
            style.arrays = arrays
            let error = #expect(throws: ParameterError.self) { try Encoder.query.encode(["a": [[1], [2]]], style) }
            #expect(error?.keyPath == "a[0]")
        }
    }

    @Test("the error of a formatter is the underlying error", arguments: [Encoder.query, .fields, .json])
    func formatter(encoder: Encoder) {
        var style = ParameterStyle()
        style.dates = .formatted { _ in throw FormatterFailure() }
        style.data = .formatted { _ in throw FormatterFailure() }
        for params: Params in [["v": [Date()]], ["v": [Data()]]] {
            let error = #expect(throws: ParameterError.self) { try encoder.encode(params, style) }
            #expect(error?.keyPath == "v[0]")
            #expect(error?.underlying as? FormatterFailure == FormatterFailure())
        }
    }

    @Test("params that are nested too deeply are refused before a small stack overflows", arguments: Encoder.allCases)
    func depth(encoder: Encoder) async {
        let failure = await onSmallStack { () -> String? in
            do throws(ParameterError) {
                try encoder.encode(nested(ParameterError.deepest))
                return nil
            } catch {
                return error.description
            }
        }
        #expect(failure == nil)
        let refused = await onSmallStack { () -> String? in
            do throws(ParameterError) {
                try encoder.encode(nested(2 * ParameterError.deepest))
                return nil
            } catch {
                return error.reason
            }
        }
        #expect(refused == "it is nested more than 100 levels deep")
    }
}
