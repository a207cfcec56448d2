import CatenaTesting
import Foundation

@testable import Catena

/// One model and one text, decoded by JSONDecoder and by the library's own decoder.
struct DecodingComparison {
    let shape: Shape
    let text: Data
    let decoder: JSONDecoder

    enum Outcome: Equatable {
        case value(Shaped)
        case failure(kind: String, path: [String])
        /// The text is JSON, and JSONDecoder says without a path that it is none: it means a number that does not fit.
        case unfitNumber
    }

    init(seed: UInt64) {
        var generator = ShapeGenerator(seed: seed)
        decoder = JSONDecoder()
        switch Int.random(in: 0..<8, using: &generator.random) {
        case 0: decoder.dateDecodingStrategy = .iso8601
        case 1: decoder.dateDecodingStrategy = .secondsSince1970
        case 2: decoder.dateDecodingStrategy = .millisecondsSince1970
        case 3: decoder.dateDecodingStrategy = .custom { Date(timeIntervalSince1970: Double(try String(from: $0).count)) }
        default: break
        }
        switch Int.random(in: 0..<8, using: &generator.random) {
        case 0: decoder.dataDecodingStrategy = .deferredToData
        case 1: decoder.dataDecodingStrategy = .custom { Data(try String(from: $0).utf8) }
        default: break
        }
        if generator.chance(20) {
            decoder.nonConformingFloatDecodingStrategy = .convertFromString(positiveInfinity: "Infinity", negativeInfinity: "", nan: "NaN")
        }
        switch Int.random(in: 0..<8, using: &generator.random) {
        case 0:
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            generator.isSnake = true
        case 1: decoder.keyDecodingStrategy = .custom { path in ShapeKey("\(path.last?.stringValue.lowercased() ?? "")") }
        default: break
        }
        shape = generator.shape()
        if let key = Shape.userInfoKey { decoder.userInfo[key] = shape }
        let good = generator.text(shape, wrong: generator.chance(50) ? 0 : 4)
        text = generator.chance(10) ? generator.damaged(good) : Data(good.utf8)
    }

    /// What is not as it must be; `nil` if all is well.
    var difference: String? {
        let expected = outcome(decoder)
        let strict = outcome(JSONPayloadDecoder(decoder, .strict))
        let lenient = outcome(JSONPayloadDecoder(decoder, .lenient))
        guard (try? JSONScan(text, paths: [])) != nil else {
            guard strict == .failure(kind: "corrupted", path: []), lenient == strict else {
                return describe("no JSON", expected, strict, lenient)
            }
            return nil
        }
        if case .value = expected, lenient != expected { return describe("lenient", expected, strict, lenient) }
        return isSame(expected, strict) ? nil : describe("strict", expected, strict, lenient)
    }

    private func isSame(_ expected: Outcome, _ found: Outcome) -> Bool {
        switch (expected, found) {
        case (.unfitNumber, .failure("corrupted", _)): true
        // JSONDecoder has no order of keys, so that any of the members that cannot be decoded may be its first.
        case (.failure, .failure) where shape.hasDictionary: true
        case (.unfitNumber, .failure) where shape.hasDictionary: true
        // JSONDecoder leaves out the last keys where a text is no date.
        case (.failure("corrupted", let short), .failure("corrupted", let long)): long.starts(with: short)
        default: expected == found
        }
    }

    private func outcome(_ decoder: any PayloadDecoder) -> Outcome {
        do {
            return .value(try decoder.decode(Shaped.self, from: text))
        } catch let error as DecodingError {
            if decoder is JSONDecoder, UnfitNumber.isMeant(by: error) { return .unfitNumber }
            func path(_ keys: [any CodingKey]) -> [String] { keys.map { "\($0.stringValue) \($0.intValue ?? -1)" } }
            switch error {
            case .keyNotFound(let key, let context): return .failure(kind: "missing \(key.stringValue)", path: path(context.codingPath))
            case .valueNotFound(let type, let context): return .failure(kind: "null \(type)", path: path(context.codingPath))
            case .typeMismatch(let type, let context): return .failure(kind: "type \(type)", path: path(context.codingPath))
            case .dataCorrupted(let context): return .failure(kind: "corrupted", path: path(context.codingPath))
            @unknown default: return .failure(kind: "unknown", path: [])
            }
        } catch {
            return .failure(kind: "\(error)", path: [])
        }
    }

    private func describe(_ what: String, _ expected: Outcome, _ strict: Outcome, _ lenient: Outcome) -> String {
        """
        \(what)
        text      \(String(decoding: text, as: UTF8.self))
        shape     \(shape)
        strategies \(decoder.dateDecodingStrategy) \(decoder.dataDecodingStrategy) \(decoder.keyDecodingStrategy)
        expected  \(expected)
        strict    \(strict)
        lenient   \(lenient)
        """
    }
}
