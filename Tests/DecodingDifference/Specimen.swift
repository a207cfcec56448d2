import Foundation

/// A type as an app would declare it, with texts for it.
struct Specimen: Sendable {
    /// Whether the decoder determines the order in which members are read.
    let hasDictionary: Bool
    let text: @Sendable (inout ShapeGenerator) -> String
    private let type: any SpecimenType

    init<Value: Decodable & Equatable>(
        _ type: Value.Type, hasDictionary: Bool = false, text: @escaping @Sendable (inout ShapeGenerator) -> String
    ) {
        self.hasDictionary = hasDictionary
        self.text = text
        self.type = Compared<Value>()
    }

    init<Value: Decodable & Equatable>(_ type: Value.Type, hasDictionary: Bool = false, _ shape: Shape) {
        self.init(type, hasDictionary: hasDictionary) { $0.text(shape) }
    }

    func compare(_ comparison: DecodingComparison) -> Finding { type.finding(comparison) }

    static let all: [Specimen] = collections + enums + classes + probes + foundation
}

private protocol SpecimenType: Sendable {
    func finding(_ comparison: DecodingComparison) -> Finding
}

private struct Compared<Value: Decodable & Equatable>: SpecimenType {
    func finding(_ comparison: DecodingComparison) -> Finding { comparison.finding(Value.self) }
}

extension Shape {
    static func named(_ name: String) -> Shape {
        ScalarShape.all.first { $0.name == name }.map { .scalar($0) } ?? .tuple([])
    }

    static let int = named("Int")
    static let string = named("String")
    static let double = named("Double")
    static let bool = named("Bool")

    static func fields(_ fields: KeyValuePairs<String, Shape>) -> Shape {
        .object(fields.map { Member(key: $0.key, shape: $0.value, way: .value) })
    }
}

extension ShapeGenerator {
    /// Returns a text for a shape, with the number of faults of the case.
    mutating func text(_ shape: Shape) -> String { text(shape, wrong: wrong) }

    /// Returns a text for one of several shapes.
    mutating func text(oneOf shapes: [Shape]) -> String { text(pick(shapes)) }
}

struct Point: Decodable, Equatable {
    let x: Int
    let y: Double?

    static let shape = Shape.fields(["x": .int, "y": .optional(.double)])
}
