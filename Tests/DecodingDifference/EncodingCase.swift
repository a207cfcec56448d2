import Catena
import Foundation

/// A random value and encoding strategies, made from a seed.
package struct EncodingCase {
    private let value: Scripted
    private let encoder: JSONEncoder

    package init(seed: UInt64) {
        var generator = ScriptGenerator(seed: seed)
        encoder = Self.encoder(&generator)
        generator.unusual = generator.chance(70) ? 0 : 4
        value = Scripted(script: generator.script())
    }

    /// Returns the difference between the encoders, or `nil`.
    package var difference: String? {
        let expected = EncodingOutcome { try encoder.encode(value) }
        let found = EncodingOutcome { try JSONPayloadEncoder(encoder).encode(value) }
        if expected == found { return nil }
        return "value    \(value)\nexpected \(expected)\nfound    \(found)"
    }

    /// Whether the value is encoded without `JSONEncoder`.
    package var isDirect: Bool { (try? JSONPayloadEncoder(encoder).direct(value)) != nil }

    private static func encoder(_ generator: inout ScriptGenerator) -> JSONEncoder {
        let encoder = generator.chance(1) ? OwnEncoder() : JSONEncoder()
        if let key = Shape.noteKey { encoder.userInfo[key] = "a note" }
        switch Int.random(in: 0..<8, using: &generator.random) {
        case 0...2: encoder.dateEncodingStrategy = .iso8601
        case 3: encoder.dateEncodingStrategy = .secondsSince1970
        case 4: encoder.dateEncodingStrategy = .millisecondsSince1970
        case 5 where generator.chance(30): encoder.dateEncodingStrategy = .custom { try "\($0.timeIntervalSince1970)".encode(to: $1) }
        default: break
        }
        if generator.chance(20) { encoder.dataEncodingStrategy = .deferredToData }
        if generator.chance(3) { encoder.dataEncodingStrategy = .custom { try $0.count.encode(to: $1) } }
        if generator.chance(20) {
            encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "+", negativeInfinity: "-/", nan: "NaN\n")
        }
        switch Int.random(in: 0..<40, using: &generator.random) {
        case 0: encoder.keyEncodingStrategy = .convertToSnakeCase
        case 1: encoder.keyEncodingStrategy = .custom { path in ShapeKey("\(path.last?.stringValue.lowercased() ?? "")") }
        default: break
        }
        switch Int.random(in: 0..<40, using: &generator.random) {
        case 0...12: encoder.outputFormatting = .withoutEscapingSlashes
        case 13: encoder.outputFormatting = .prettyPrinted
        case 14: encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        default: break
        }
        return encoder
    }
}

private final class OwnEncoder: JSONEncoder, @unchecked Sendable {
    override func encode<Value: Encodable>(_ value: Value) throws -> Data { Data("7".utf8) }
}

/// A series of consecutive cases.
package struct EncodingRun {
    package private(set) var same = 0
    /// The number of cases that were encoded without `JSONEncoder`.
    package private(set) var direct = 0
    /// The first case with a difference: its seed and its value.
    package private(set) var difference: String?

    /// Runs the cases up to the first difference.
    package init(seed: UInt64, count: UInt64) {
        for seed in seed..<seed + count {
            let encoding = EncodingCase(seed: seed)
            if let words = encoding.difference {
                difference = "seed \(seed)\n\(words)"
                return
            }
            same += 1
            if encoding.isDirect { direct += 1 }
        }
    }

    package var summary: String { "\(same) values without a difference, \(direct) of them encoded without JSONEncoder" }
}
