import Foundation

/// The shape of a model, for a type that exists only at run time.
indirect enum Shape: Sendable {
    case scalar(ScalarShape)
    case optional(Shape)
    case array(Shape)
    case tuple([Shape])
    case dictionary(Shape)
    case object([Member])

    struct Member: Sendable {
        let key: String
        let shape: Shape
        let way: Way
    }

    /// The requirement of a container with which a member is read.
    enum Way: CaseIterable, Sendable {
        case value, ifPresent, nestedContainer, superDecoder, afterNil
    }

    static let userInfoKey = CodingUserInfoKey(rawValue: "shape")
    /// The key under which every decoder has "a note".
    static let noteKey = CodingUserInfoKey(rawValue: "note")

    /// Whether the decoder determines the order in which members are read.
    var hasDictionary: Bool {
        switch self {
        case .scalar: false
        case .dictionary: true
        case .optional(let shape), .array(let shape): shape.hasDictionary
        case .tuple(let shapes): shapes.contains(where: \.hasDictionary)
        case .object(let members): members.contains(where: \.shape.hasDictionary)
        }
    }

    /// Returns the shape at a coding path.
    func part(at path: some Sequence<any CodingKey>) -> Shape {
        path.reduce(self) { shape, key in shape.part(key) }
    }

    private func part(_ key: any CodingKey) -> Shape {
        switch self {
        case .scalar: self
        case .optional(let shape): shape.part(key)
        case .array(let element), .dictionary(let element): element
        case .tuple(let elements): elements.indices.contains(key.intValue ?? -1) ? elements[key.intValue ?? 0] : self
        case .object(let members): members.first { $0.key == key.stringValue }?.shape ?? self
        }
    }
}

/// The decoded value.
indirect enum Shaped: Equatable, Sendable {
    case nothing
    case scalar(String)
    case list([Shaped])
    case members([String: Shaped])
}

extension Shaped: Decodable {
    init(from decoder: any Decoder) throws {
        let key = CodingUserInfoKey(rawValue: "shape")
        guard let key, let root = decoder.userInfo[key] as? Shape else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "there is no shape"))
        }
        try self.init(from: decoder, as: root.part(at: decoder.codingPath))
    }

    private init(from decoder: any Decoder, as shape: Shape) throws {
        switch shape {
        case .scalar(let scalar): self = .scalar(try scalar.single(decoder.singleValueContainer()))
        case .optional(let wrapped):
            if try decoder.singleValueContainer().decodeNil() {
                self = .nothing
            } else {
                try self.init(from: decoder, as: wrapped)
            }
        case .array(let element):
            var container = try decoder.unkeyedContainer()
            var elements: [Shaped] = []
            while !container.isAtEnd { elements.append(try Self.element(element, of: &container)) }
            self = .list(elements + [.scalar("\(container.count ?? -1) \(container.currentIndex)")])
        case .tuple(let shapes):
            var container = try decoder.unkeyedContainer()
            self = .list(try shapes.map { try Self.element($0, of: &container) })
        case .dictionary:
            self = .members(try [String: Shaped](from: decoder))
        case .object(let members):
            let container = try decoder.container(keyedBy: ShapeKey.self)
            var values: [String: Shaped] = [:]
            for member in members { values[member.key] = try Self.member(member, of: container) }
            values[" keys"] = .scalar(container.allKeys.map(\.stringValue).sorted().joined(separator: " "))
            self = .members(values)
        }
    }

    private static func element(_ shape: Shape, of container: inout any UnkeyedDecodingContainer) throws -> Shaped {
        switch shape {
        case .scalar(let scalar): .scalar(try scalar.unkeyed(&container))
        case .optional(.scalar(let scalar)): try scalar.unkeyedOptional(&container).map { .scalar($0) } ?? .nothing
        case .optional: try container.decodeIfPresent(Shaped.self) ?? .nothing
        case .object(let members) where members.count == 1:
            try .members([members[0].key: member(members[0], of: container.nestedContainer(keyedBy: ShapeKey.self))])
        default: try container.decode(Shaped.self)
        }
    }

    private static func member(_ member: Shape.Member, of container: KeyedDecodingContainer<ShapeKey>) throws -> Shaped {
        let key = ShapeKey(member.key)
        switch (member.way, member.shape) {
        case (.value, .scalar(let scalar)): return .scalar(try scalar.keyed(container, key))
        case (.ifPresent, .scalar(let scalar)): return try scalar.keyedOptional(container, key).map { .scalar($0) } ?? .nothing
        case (.ifPresent, _): return try container.decodeIfPresent(Shaped.self, forKey: key) ?? .nothing
        case (.nestedContainer, .object(let members)):
            let nested = try container.nestedContainer(keyedBy: ShapeKey.self, forKey: key)
            var values: [String: Shaped] = [:]
            for member in members { values[member.key] = try self.member(member, of: nested) }
            return .members(values)
        case (.nestedContainer, .array(let element)):
            var nested = try container.nestedUnkeyedContainer(forKey: key)
            var elements: [Shaped] = []
            while !nested.isAtEnd { elements.append(try self.element(element, of: &nested)) }
            return .list(elements)
        case (.superDecoder, _): return try Shaped(from: container.superDecoder(forKey: key))
        case (.afterNil, _):
            guard container.contains(key), try !container.decodeNil(forKey: key) else { return .nothing }
            return try container.decode(Shaped.self, forKey: key)
        default: return try container.decode(Shaped.self, forKey: key)
        }
    }
}
