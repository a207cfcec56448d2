import Foundation

extension Specimen {
    static let classes: [Specimen] = [
        Specimen(Dog.self) { $0.animal(within: "super") },
        Specimen([Dog].self) { "[\($0.animal(within: "super"))]" },
        Specimen(Cat.self) { $0.text(.fields(["name": .string, "legs": .optional(.int), "lives": .int])) },
        Specimen(Bird.self) { $0.animal(within: "animal") },
        Specimen(Tree.self) { $0.tree(depth: 0) },
        Specimen(Tree.self) { generator in
            let depth = generator.pick([10, 100, 254, 255, 256, 257])
            let (start, end) = (#"{"value":1,"children":["#, "]}")
            return String(repeating: start, count: depth) + generator.tree(depth: 3) + String(repeating: end, count: depth)
        },
        Specimen(Row.self) { "[\($0.text(.int)),\($0.text(.array(.bool))),\($0.text(Point.shape)),\($0.animal(within: "super"))]" },
    ]
}

private class Animal: Decodable {
    let name: String
    let legs: Int?

    final var words: String { "\(name) \(legs ?? -1)" }
}

/// A class whose superclass is decoded from the default key.
private final class Dog: Animal, Equatable {
    let age: Int

    private enum CodingKeys: CodingKey { case age }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        age = try container.decode(Int.self, forKey: .age)
        try super.init(from: container.superDecoder())
    }

    static func == (one: Dog, other: Dog) -> Bool { one.words == other.words && one.age == other.age }
}

/// A class whose superclass is decoded from the class's own container.
private final class Cat: Animal, Equatable {
    let lives: Int

    private enum CodingKeys: CodingKey { case lives }

    required init(from decoder: any Decoder) throws {
        lives = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .lives)
        try super.init(from: decoder)
    }

    static func == (one: Cat, other: Cat) -> Bool { one.words == other.words && one.lives == other.lives }
}

/// A class whose superclass is decoded from a separate key.
private final class Bird: Animal, Equatable {
    let age: Int
    let path: [String]

    private enum CodingKeys: String, CodingKey { case age, animal }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let above = try container.superDecoder(forKey: .animal)
        // Reading a member in between must not affect the superclass's decoder.
        age = try container.decode(Int.self, forKey: .age)
        path = above.codingPath.map(\.stringValue)
        try super.init(from: above)
    }

    static func == (one: Bird, other: Bird) -> Bool { one.words == other.words && one.age == other.age && one.path == other.path }
}

private final class Tree: Decodable, Equatable {
    let value: Int?
    let children: [Tree]?

    static func == (one: Tree, other: Tree) -> Bool { one.value == other.value && one.children == other.children }
}

/// Elements of different types, some of which are containers.
private struct Row: Decodable, Equatable {
    let number: Int
    let truths: [Bool]
    let x: Int
    let animal: String
    let paths: [[String]]

    init(from decoder: any Decoder) throws {
        var row = try decoder.unkeyedContainer()
        number = try row.decode(Int.self)
        var list = try row.nestedUnkeyedContainer()
        let members = try row.nestedContainer(keyedBy: ShapeKey.self)
        var truths: [Bool] = []
        while !list.isAtEnd { truths.append(try list.decode(Bool.self)) }
        self.truths = truths
        x = try members.decode(Int.self, forKey: ShapeKey("x"))
        let above = try row.superDecoder()
        animal = try Animal(from: above).words
        paths = [list.codingPath, members.codingPath, above.codingPath, row.codingPath].map { $0.map(\.stringValue) }
    }
}

extension ShapeGenerator {
    fileprivate mutating func animal(within key: String) -> String {
        let animal = Shape.fields(["name": .string, "legs": .optional(.int)])
        if chance(wrong) { return text(.fields(["age": .int])) }
        return text(.fields(["age": .int, key: animal]))
    }

    fileprivate mutating func tree(depth: Int) -> String {
        let children = depth > 3 ? [] : (0..<Int.random(in: 0...2, using: &random)).map { _ in tree(depth: depth + 1) }
        let list = chance(10) ? "null" : "[\(children.joined(separator: ","))]"
        return object([("value", text(.optional(.int))), ("children", chance(wrong) ? anything() : list)].shuffled(using: &random))
    }
}
