import Foundation

extension Specimen {
    static let collections: [Specimen] = [
        Specimen([Int].self, .array(.int)),
        Specimen([String].self, .array(.string)),
        Specimen([Double].self, .array(.double)),
        Specimen([Bool].self, .array(.bool)),
        Specimen([UInt8].self, .array(.named("UInt8"))),
        Specimen([Float].self, .array(.named("Float"))),
        Specimen([Decimal].self, .array(.named("Decimal"))),
        Specimen([Date].self, .array(.named("Date"))),
        Specimen([URL].self, .array(.named("URL"))),
        Specimen([Data].self, .array(.named("Data"))),
        Specimen([[Double]].self, .array(.array(.double))),
        Specimen([Int?].self, .array(.optional(.int))),
        Specimen([[String?]?].self, .array(.optional(.array(.optional(.string))))),
        Specimen([Point].self, .array(Point.shape)),
        Specimen(Set<String>.self, .array(.string)),
        Specimen(Int??.self, .optional(.int)),
        Specimen(ContiguousArray<Int16>.self, .array(.named("Int16"))),
        Specimen([String: Int].self, hasDictionary: true, .dictionary(.int)),
        Specimen([String: [String: Bool?]].self, hasDictionary: true, .dictionary(.dictionary(.optional(.bool)))),
        Specimen([String: Point].self, hasDictionary: true, .dictionary(Point.shape)),
        Specimen([Int: String].self, hasDictionary: true) { $0.numbered(.string) },
        Specimen([Int: [Point]].self, hasDictionary: true) { $0.numbered(.array(Point.shape)) },
        Specimen([Size: Int].self, hasDictionary: true) { $0.keyed(["small", "large", "other", "Small"], .int) },
        Specimen([Grade: Bool].self, hasDictionary: true) { $0.keyed(["1", "2", "3", "-1", "one"], .bool) },
        Specimen([Slug: Int].self, hasDictionary: true) { $0.keyed(["a-b", "a b", "", "4"], .int) },
        // Keys that are not coding keys alternate with their values in an array.
        Specimen([UUID: Int].self, .tuple([.named("UUID"), .int])),
        Specimen([Bool: String].self, .tuple([.bool, .string, .bool, .string])),
    ]
}

private enum Size: String, Decodable, CodingKeyRepresentable { case small, large }

private enum Grade: Int, Decodable, CodingKeyRepresentable { case one = 1, two }

/// A key with custom coding.
private struct Slug: Decodable, Hashable, CodingKeyRepresentable {
    let text: String

    init?(codingKey: some CodingKey) {
        guard !codingKey.stringValue.contains(" ") else { return nil }
        text = codingKey.stringValue
    }

    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    var codingKey: any CodingKey { ShapeKey(text) }
}

extension ShapeGenerator {
    /// Returns an object with mostly numeric keys. No two are the same number, because JSONDecoder would choose either of them.
    fileprivate mutating func numbered(_ shape: Shape) -> String {
        keyed(["0", "-5", "12", "9223372036854775808", "01", "1.0", "", "x"], shape)
    }

    fileprivate mutating func keyed(_ keys: [String], _ shape: Shape) -> String {
        object((0..<Int.random(in: 0...4, using: &random)).map { _ in (chance(70) ? keys[0] : pick(keys), text(shape)) })
    }
}
