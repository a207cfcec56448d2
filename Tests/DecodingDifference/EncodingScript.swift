import Foundation

/// The operations with which a value encodes itself, for types that exist only at run time.
indirect enum EncodingScript: Sendable {
    case scalar(EncodedScalar)
    case known(any Encodable & Sendable)
    case wrapped(EncodingScript)
    case object([Member])
    case array([Element])
    /// Two containers of the same encoder.
    case twoContainers([Member], [Member])
    case nothing
    case failure(String)
    /// The path and the note of the encoder.
    case surroundings

    struct Member: Sendable {
        let key: String
        let way: MemberWay
    }

    indirect enum MemberWay: Sendable {
        case scalar(EncodedScalar)
        case scalarIfPresent(EncodedScalar)
        case value(EncodingScript)
        case valueIfPresent(EncodingScript?)
        case nestedObject([Member])
        case nestedArray([Element])
        case superEncoder(EncodingScript)
        case superEncoderOfKey(EncodingScript)
        /// A nested container that is used, left for a member of the outer container, and used again.
        case interleaved(Member, outer: Member, Member)
        /// An error that the value's code ignores.
        case ignored(EncodingScript)
        case path
    }

    indirect enum Element: Sendable {
        case scalar(EncodedScalar)
        case value(EncodingScript)
        case nestedObject([Member])
        case nestedArray([Element])
        case superEncoder(EncodingScript)
        case count
        case path
    }
}

struct ScriptedError: Error, Equatable {
    let words: String
}

struct Scripted: Encodable, Sendable {
    let script: EncodingScript

    func encode(to encoder: any Encoder) throws {
        switch script {
        case .scalar(let scalar): try scalar.encode(to: encoder)
        case .known(let value): try value.encode(to: encoder)
        case .wrapped(let script):
            var container = encoder.singleValueContainer()
            try container.encode(Scripted(script: script))
        case .object(let members):
            var container = encoder.container(keyedBy: ShapeKey.self)
            for member in members { try Self.encode(member, to: &container) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try Self.encode(element, to: &container) }
        case .twoContainers(let first, let second):
            var one = encoder.container(keyedBy: ShapeKey.self)
            if let member = first.first { try Self.encode(member, to: &one) }
            var other = encoder.container(keyedBy: ShapeKey.self)
            for member in second { try Self.encode(member, to: &other) }
            for member in first.dropFirst() { try Self.encode(member, to: &one) }
        case .nothing: break
        case .failure(let words): throw ScriptedError(words: words)
        case .surroundings:
            var container = encoder.singleValueContainer()
            let note = Shape.noteKey.flatMap { encoder.userInfo[$0] as? String } ?? "none"
            let path = encoder.codingPath.map { "\($0.stringValue) \($0.intValue ?? -1)" }
            try container.encode("\(path) \(container.codingPath.count) \(note)")
        }
    }

    private static func encode(_ member: EncodingScript.Member, to container: inout KeyedEncodingContainer<ShapeKey>) throws {
        let key = ShapeKey(member.key)
        switch member.way {
        case .scalar(let scalar): try scalar.encode(to: &container, forKey: key)
        case .scalarIfPresent(let scalar): try scalar.encodeIfPresent(to: &container, forKey: key)
        case .value(.known(let value)): try container.encode(value, forKey: key)
        case .value(let script): try container.encode(Scripted(script: script), forKey: key)
        case .valueIfPresent(let script): try container.encodeIfPresent(script.map { Scripted(script: $0) }, forKey: key)
        case .nestedObject(let members):
            var nested = container.nestedContainer(keyedBy: ShapeKey.self, forKey: key)
            for member in members { try encode(member, to: &nested) }
        case .nestedArray(let elements):
            var nested = container.nestedUnkeyedContainer(forKey: key)
            for element in elements { try encode(element, to: &nested) }
        case .superEncoder(let script): try Scripted(script: script).encode(to: container.superEncoder())
        case .superEncoderOfKey(let script): try Scripted(script: script).encode(to: container.superEncoder(forKey: key))
        case .interleaved(let first, let outer, let last):
            var nested = container.nestedContainer(keyedBy: ShapeKey.self, forKey: key)
            try encode(first, to: &nested)
            try encode(outer, to: &container)
            try encode(last, to: &nested)
        case .ignored(let script): try? container.encode(Scripted(script: script), forKey: key)
        case .path: try container.encode("\(container.codingPath.map(\.stringValue))", forKey: key)
        }
    }

    private static func encode(_ element: EncodingScript.Element, to container: inout any UnkeyedEncodingContainer) throws {
        switch element {
        case .scalar(let scalar): try scalar.encode(to: &container)
        case .value(.known(let value)): try container.encode(value)
        case .value(let script): try container.encode(Scripted(script: script))
        case .nestedObject(let members):
            var nested = container.nestedContainer(keyedBy: ShapeKey.self)
            for member in members { try encode(member, to: &nested) }
        case .nestedArray(let elements):
            var nested = container.nestedUnkeyedContainer()
            for element in elements { try encode(element, to: &nested) }
        case .superEncoder(let script): try Scripted(script: script).encode(to: container.superEncoder())
        case .count: try container.encode(container.count)
        case .path: try container.encode("\(container.codingPath.map(\.stringValue))")
        }
    }
}
