import Foundation

/// A type as an app would write it, with texts that it can be decoded from.
struct Specimen: Sendable {
    /// Whether members are read in an order that the decoder gives.
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
    /// A text for a shape, with as many mistakes as the case is to have.
    mutating func text(_ shape: Shape) -> String { text(shape, wrong: wrong) }

    /// A text for one of several shapes.
    mutating func text(oneOf shapes: [Shape]) -> String { text(pick(shapes)) }
}

struct Point: Decodable, Equatable {
    let x: Int
    let y: Double?

    static let shape = Shape.fields(["x": .int, "y": .optional(.double)])
}
