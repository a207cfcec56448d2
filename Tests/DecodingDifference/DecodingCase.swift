import Foundation

/// A random type, a text for it and decoding strategies, made from a seed.
package struct DecodingCase {
    private let comparison: DecodingComparison
    private let specimen: Specimen?
    /// The shape of the decoded model if there is no specimen.
    private let shape: Shape?

    package init(seed: UInt64) {
        var generator = ShapeGenerator(seed: seed)
        let decoder = Self.decoder(&generator)
        generator.wrong = generator.chance(50) ? 0 : 4
        if generator.chance(50) {
            let specimen = generator.pick(Specimen.all)
            let text = specimen.text(&generator)
            self.specimen = specimen
            shape = nil
            comparison = DecodingComparison(
                text: generator.sent(text), decoder: decoder, hasDictionary: specimen.hasDictionary, includesLenient: false)
        } else {
            let shape = generator.shape()
            if let key = Shape.userInfoKey { decoder.userInfo[key] = shape }
            let good = generator.text(shape)
            specimen = nil
            self.shape = shape
            comparison = DecodingComparison(
                text: generator.sent(good), decoder: decoder, hasDictionary: shape.hasDictionary, includesLenient: true)
        }
    }

    package var finding: Finding {
        let finding = specimen.map { $0.compare(comparison) } ?? comparison.finding(Shaped.self)
        if case .different(let words) = finding, let shape { return .different("\(words)\nshape      \(shape)") }
        return finding
    }

    private static func decoder(_ generator: inout ShapeGenerator) -> JSONDecoder {
        let decoder = JSONDecoder()
        if let key = Shape.noteKey { decoder.userInfo[key] = "a note" }
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
        return decoder
    }
}

/// A series of consecutive cases.
package struct DecodingRun {
    /// The number of times that each documented difference was seen.
    package private(set) var known: [KnownDifference: Int] = [:]
    package private(set) var same = 0
    /// The first case with an undocumented difference: its seed, type and text.
    package private(set) var difference: String?

    /// Runs the cases up to the first undocumented difference.
    package init(seed: UInt64, count: UInt64) {
        for seed in seed..<seed + count {
            switch DecodingCase(seed: seed).finding {
            case .same: same += 1
            case .known(let known): self.known[known, default: 0] += 1
            case .different(let words):
                difference = "seed \(seed), \(words)"
                return
            }
        }
    }

    package var summary: String {
        let counts = known.sorted { $0.value > $1.value }.map { "\($0.value) × \($0.key.rawValue)" }
        return (["\(same) cases without a difference"] + counts).joined(separator: "\n")
    }
}
