import CatenaTesting
import Foundation

/// Generates values that encode themselves in random ways, none of which `JSONEncoder` refuses by ending the process.
struct ScriptGenerator {
    var random: SeededRandom
    /// The percentage of operations that are unusual, such as a key that is encoded twice.
    var unusual = 0

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    private static let keys = [
        "id", "name", "userName", "aRatherLongKeyOfAModel", "x", "caf\u{e9}", "\u{4f60}", "a\"b", "isOn", "value", "URL", "", "_private",
        "a/b", "eightchr", "eightchs", "ninechars", "sixteen characte", "\u{3ab}", "ab", "ba", "tab\t",
    ]

    mutating func script(depth: Int = 0) -> EncodingScript {
        if chance(unusual) { return unusualScript(depth: depth) }
        switch depth > 4 ? Int.random(in: 0..<4, using: &random) : Int.random(in: 0..<12, using: &random) {
        case 0: return .scalar(scalar())
        case 1...2: return .known(EncodedSpecimen.value(&self))
        case 3: return chance(80) ? .scalar(scalar()) : .nothing
        case 4: return .wrapped(script(depth: depth + 1))
        case 5...7: return .array(elements(depth: depth))
        default: return .object(members(depth: depth))
        }
    }

    private mutating func unusualScript(depth: Int) -> EncodingScript {
        let first = members(depth: depth + 2)
        let containers = Set(first.filter { !$0.isPlain }.map(\.key))
        let second = members(depth: depth + 2).filter { $0.isPlain && !containers.contains($0.key) }
        return switch Int.random(in: 0..<4, using: &random) {
        case 0: .failure("a reason")
        case 1: .surroundings
        case 2: .scalar(.double(pick([.nan, .infinity, -.infinity])))
        default: .twoContainers(first, second)
        }
    }

    private mutating func members(depth: Int) -> [EncodingScript.Member] {
        var keys = Self.keys.shuffled(using: &random).prefix(Int.random(in: 0...7, using: &random)).map { $0 }
        if chance(3) { keys += (0..<30).map { "key \($0)" } }
        var members = keys.map { EncodingScript.Member(key: $0, way: way(depth: depth + 1)) }
        if chance(unusual), let twice = members.last(where: \.isPlain) {
            // Another spelling of the same characters is the same key.
            let key = chance(50) ? twice.key : twice.key.decomposedStringWithCanonicalMapping
            members.append(EncodingScript.Member(key: key, way: .scalar(scalar())))
        }
        if chance(unusual) { members.append(EncodingScript.Member(key: "ignored", way: .ignored(.failure("ignored")))) }
        return members
    }

    private mutating func way(depth: Int) -> EncodingScript.MemberWay {
        if chance(unusual) {
            if chance(30) { return .path }
            return .interleaved(
                EncodingScript.Member(key: "one", way: .scalar(scalar())),
                outer: EncodingScript.Member(key: "outer \(next())", way: .scalar(scalar())),
                EncodingScript.Member(key: "two", way: .scalar(scalar())))
        }
        switch Int.random(in: 0..<14, using: &random) {
        case 0...3: return .scalar(scalar())
        case 4: return .scalarIfPresent(scalar())
        case 5: return .valueIfPresent(chance(50) ? nil : script(depth: depth))
        case 6: return .nestedObject(depth > 4 ? [] : members(depth: depth))
        case 7: return .nestedArray(depth > 4 ? [] : elements(depth: depth))
        case 8: return chance(20) ? .superEncoder(script(depth: depth)) : .superEncoderOfKey(script(depth: depth))
        default: return .value(script(depth: depth))
        }
    }

    private mutating func elements(depth: Int) -> [EncodingScript.Element] {
        (0..<Int.random(in: 0...5, using: &random)).map { _ in
            if chance(unusual) { return chance(50) ? .path : .superEncoder(script(depth: depth + 1)) }
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3: return .scalar(scalar())
            case 4: return .nestedObject(depth > 4 ? [] : members(depth: depth + 1))
            case 5: return .nestedArray(depth > 4 ? [] : elements(depth: depth + 1))
            case 6: return .count
            default: return .value(script(depth: depth + 1))
            }
        }
    }

    private mutating func next() -> Int { Int.random(in: 0..<1_000_000, using: &random) }

    mutating func scalar() -> EncodedScalar {
        switch Int.random(in: 0..<17, using: &random) {
        case 0: .null
        case 1: .bool(chance(50))
        case 2, 3: .string(string())
        case 4: .double(double())
        case 5: .float(float())
        case 6: .int(integer())
        case 7: .int8(integer())
        case 8: .int16(integer())
        case 9: .int32(integer())
        case 10: .int64(integer())
        case 11: .uint(integer())
        case 12: .uint8(integer())
        case 13: .uint16(integer())
        case 14: .uint32(integer())
        case 15: .uint64(integer())
        default: chance(50) ? .wide(integer(), integer()) : .unsignedWide(integer(), integer())
        }
    }

    mutating func integer<Value: FixedWidthInteger>() -> Value {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: pick([0, 1, 9, 10, 99, 100, .max, .min, .max - 1])
        case 1: Value.random(in: .min ... .max, using: &random)
        default: Value.random(in: .min ... .max, using: &random) >> pick([0, 1, 2, 4, 5, 8, 10, 13, 20, 29, 30, 44, 57])
        }
    }

    mutating func string() -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "b", "z", "0", " ", "/", "\"", "\\", "\n", "\t", "\r", "\u{8}", "\u{c}", "\u{0}", "\u{1f}", "\u{7f}", "\u{e9}", "\u{4f60}",
            "\u{2028}",
            "\u{2029}", "\u{1F600}", "\u{301}", "\u{FEFF}", "\u{FFFD}", "\u{10FFFF}", "\u{80}",
        ]
        let isPlain = chance(50)
        var text = String.UnicodeScalarView()
        let length = pick([0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 40, 200])
        for _ in 0..<length { text.append(isPlain ? pick(["a", "k", "9"]) : pick(scalars)) }
        return String(text)
    }

    mutating func double() -> Double {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return Double(integer() as Int)
        case 1: return Double(integer() as Int32)
        case 2...5:
            let digits = Double(integer() as Int64 >> 4)
            return digits / pick([1, 10, 100, 1000, 1e4, 1e6, 1e9, 1e15, 1e18, 1e20])
        case 6: return Double.random(in: -1...1, using: &random)
        case 7: return Double.random(in: -1e6...1e6, using: &random)
        case 8:
            return pick([
                0, -0.0, 1, -1, 0.1, 1e-4, 0.00009999, 1e-5, 1e15, 1e16, 9007199254740992, 18014398509481984, 18014398509481988, 1e21, 1e22,
                1e300, .greatestFiniteMagnitude,
                .leastNonzeroMagnitude, .leastNormalMagnitude, 0.30000000000000004, 999999999999999.9, 999999999999999, 123456789012345.6,

            ])
        case 9: return Double(string: "\(Int.random(in: 0..<1_000_000, using: &random))e\(Int.random(in: -30...30, using: &random))")
        default:
            let value = Double(bitPattern: random.next())
            return value.isFinite ? value : 0.5
        }
    }

    mutating func float() -> Float {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return Float(integer() as Int16) / pick([1, 10, 100])
        case 1:
            return pick([0, -0.0, 1, 0.1, 16777216, 16777218, 33554432, 1e-4, 1e-5, 1e10, .greatestFiniteMagnitude, .leastNonzeroMagnitude])
        default:
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
            return value.isFinite ? value : 0.5
        }
    }
}

extension Double {
    fileprivate init(string: String) { self = Double(string) ?? 0 }
}

extension EncodingScript.Member {
    /// Whether a member with the same key may follow.
    fileprivate var isPlain: Bool {
        switch way {
        case .scalar, .scalarIfPresent, .value: true
        default: false
        }
    }
}
