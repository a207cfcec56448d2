import CatenaTesting
import Foundation

/// Generates models, and valid and slightly invalid texts for them.
struct ShapeGenerator {
    var random: SeededRandom
    /// Whether the texts have the model's keys in snake case.
    var isSnake = false
    /// The percentage of values that are replaced with other values.
    var wrong = 0

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    private static let keys = [
        "id", "name", "userName", "aRatherLongKeyOfAModel", "x", "caf\u{e9}", "\u{4f60}", "a\"b", "isOn", "value", "URL", "", "_private",
    ]

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    mutating func shape(depth: Int = 0) -> Shape {
        switch depth > 3 ? 0 : Int.random(in: 0..<10, using: &random) {
        case 0...2: return .scalar(pick(ScalarShape.all))
        case 3: return .optional(shape(depth: depth + 1))
        case 4, 5: return .array(shape(depth: depth + 1))
        case 6: return .tuple((0..<Int.random(in: 0...3, using: &random)).map { _ in shape(depth: depth + 1) })
        case 7: return .dictionary(shape(depth: depth + 1))
        default:
            let keys = Self.keys.shuffled(using: &random).prefix(Int.random(in: 0...6, using: &random))
            return .object(keys.map { Shape.Member(key: $0, shape: shape(depth: depth + 1), way: pick(Shape.Way.allCases)) })
        }
    }

    /// Returns a text for a shape, in which `wrong` percent of the values have another shape.
    mutating func text(_ shape: Shape, wrong: Int) -> String {
        if chance(wrong) { return anything() }
        let space = chance(5) ? pick([" ", "\n", "\t\r\n"]) : ""
        switch shape {
        case .scalar(let scalar): return space + text(of: scalar) + space
        case .optional(let wrapped): return chance(30) ? "null" : text(wrapped, wrong: wrong)
        case .array(let element):
            let texts = (0..<Int.random(in: 0...4, using: &random)).map { _ in text(element, wrong: wrong) }
            return space + "[\(space)\(texts.joined(separator: ","))\(space)]"
        case .tuple(let elements):
            let rest = chance(20) ? [anything()] : []
            return "[\((elements.map { text($0, wrong: wrong) } + rest).joined(separator: ","))]"
        case .dictionary(let element):
            return object((0..<Int.random(in: 0...4, using: &random)).map { _ in (pick(Self.keys), text(element, wrong: wrong)) })
        case .object(let members):
            var pairs = members.map { (key(of: $0), text($0.shape, wrong: wrong)) }
            if chance(20) { pairs.append((pick(Self.keys), anything())) }
            if chance(10), let pair = pairs.first { pairs.append((pair.0, anything())) }
            if chance(2) { pairs += (0..<40).map { ("more\($0)", "1") } }
            if chance(wrong * 2), !pairs.isEmpty { pairs.removeLast() }
            if chance(40) { pairs.shuffle(using: &random) }
            return object(pairs)
        }
    }

    private mutating func key(of member: Shape.Member) -> String {
        guard isSnake, chance(80) else { return member.key }
        return member.key.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : "\($1)" }
    }

    mutating func object(_ pairs: [(String, String)]) -> String {
        "{" + pairs.map { "\(quoted($0)):\(chance(5) ? " " : "")\($1)" }.joined(separator: ",") + "}"
    }

    mutating func quoted(_ text: String) -> String {
        let isEscaped = chance(8)
        // Another Unicode form of the same characters.
        let text = chance(10) ? text.decomposedStringWithCanonicalMapping : text
        let escaped = text.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\"": return "\\\""
            case "\\": return "\\\\"
            case _ where scalar.value < 0x20 || isEscaped && scalar.value < 0xFFFF: return "\\u" + hexadecimal(scalar.value)
            default: return String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }

    private func hexadecimal(_ value: UInt32) -> String {
        String(repeating: "0", count: 4 - String(value, radix: 16).count) + String(value, radix: 16)
    }

    mutating func text(of scalar: ScalarShape) -> String {
        switch scalar.name {
        case "Bool": pick(["true", "false"])
        case "String": string()
        case "Double", "Float", "Decimal": number()
        case "Date": pick([number(), quoted("2024-02-29T12:00:00Z"), quoted("1700000000"), "1700000000000"])
        case "URL": quoted(pick(["https://example.com/a?b=1#c", "/relative", "a b", "", "http://[::1]/", "%"]))
        case "Data": quoted(pick(["", "AQID", "QQ==", "Q", "no base64!", "QUJD\u{e9}"]))
        case "UUID": quoted(pick(["E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "e621e1f8-c36c-495a-93fc-0c247a3e6e5f", "E621"]))
        case "Color": quoted(pick(["red", "green", "", "blue"]))
        default: integer()
        }
    }

    mutating func string() -> String {
        pick([
            quoted(
                pick([
                    "", "a", "plain text", "caf\u{e9}", "\u{4f60}\u{597d}", "\u{1F600}", "a\"b\\c\u{1}", "12", "true", "1.5", "NaN",
                    "Infinity",
                ])),
            "\"\\u00e9\\n\\t\\/\\b\"", "\"\\ud83d\\ude00 and more than fifteen bytes\"",
        ])
    }

    mutating func integer() -> String {
        pick([
            "\(Int.random(in: -3...130, using: &random))", "\(Int.random(in: -70000...70000, using: &random))",
            "\(Int64.random(in: .min ... .max, using: &random))", "\(UInt64.random(in: 0 ... .max, using: &random))",
            "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "18446744073709551616", "-0",
            "1.0",
            "1e2", "100e-2", "1.5", "9007199254740993.0", "9007199254740993", "1e30", "1.0000000000000000001", "-1e0", "1e18", "1e19",
            "18446744073709551615.0", "170141183460469231731687303715884105727",
            "340282366920938463463374607431768211455", "340282366920938463463374607431768211456",
            "-170141183460469231731687303715884105728", "1e-400", "127.0",
        ])
    }

    mutating func number() -> String {
        let digits = (0..<Int.random(in: 1...22, using: &random)).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
        return pick([
            integer(), "\(Double.random(in: -1000...1000, using: &random))", "\(Double.random(in: -1e-5...1e-5, using: &random))",
            "1\(digits)e\(Int.random(in: -40...40, using: &random))", "0.\(digits)",
            "-3.\(digits)e\(Int.random(in: -330...310, using: &random))",
            "-0.0", "1e400", "-1e400", "1e-400", "4.9e-324", "2.2250738585072011e-308", "1.7976931348623159e308", "3.4028236e38",
            "1e-46", "0e5", "0.0e-3", "-0e0", "0E+400", "123456789012345678901234567890123456789", "0.1e1", "5e-1",
        ])
    }

    mutating func anything() -> String {
        pick([
            "null", "true", "false", "0", "1", "-7", "1.25", "\"\"", "\"x\"", "\"12\"", "[]", "{}", "[1]", "[null]", "{\"id\":1}",
            "{\"id\":1,\"id\":2}", "[[]]", "\"NaN\"", integer(), number(), string(),
        ])
    }
}
