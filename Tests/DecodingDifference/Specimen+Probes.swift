import Foundation

extension Specimen {
    static let probes: [Specimen] = [
        Specimen(Anything.self, hasDictionary: true) { $0.text($0.shape()) },
        Specimen(Members.self, hasDictionary: true) { $0.text(.dictionary($0.shape(depth: 2))) },
        Specimen(Members.self, hasDictionary: true) {
            $0.text(.fields(["a": .int, "name": .string, "list": .array(.int), "id": $0.shape(depth: 2)]))
        },
        Specimen(Elements.self) { $0.text(.array($0.shape(depth: 2))) },
        Specimen(Elements.self) { $0.text(.tuple([.int, .string, .optional(.int), .array(.int), Point.shape])) },
        Specimen(Views.self) { $0.text(.fields(["a": .int, "b": .array(.int), "c": Point.shape])) },
        Specimen(Wrapped<Wrapped<Int>>.self) { $0.text(.int) },
        Specimen(Wrapped<Point>.self) { $0.text(Point.shape) },
        Specimen([Wrapped<[String?]>].self) { $0.text(.array(.array(.optional(.string)))) },
        Specimen(Note.self) { $0.text(.fields(["note": .int])) },
        Specimen(NumberedKeys.self) { $0.text(.fields(["first": .int, "second": .optional(.string)])) },
        Specimen(PastTheEnd.self) { $0.text(.array(.int)) },
    ]
}

/// A type for any JSON, as in many apps, which tries one type after the other.
private indirect enum Anything: Decodable, Equatable {
    case nothing, truth(Bool), whole(Int), number(Double), text(String), list([Anything]), members([String: Anything])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .nothing
        } else if let value = try? container.decode(Bool.self) {
            self = .truth(value)
        } else if let value = try? container.decode(Int.self) {
            self = .whole(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([Anything].self) {
            self = .list(value)
        } else {
            self = .members(try container.decode([String: Anything].self))
        }
    }
}

/// Calls every method of a keyed container.
private struct Members: Decodable, Equatable {
    var seen: [String] = []

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ShapeKey.self)
        note("path \(container.codingPath.map(\.stringValue)) \(decoder.codingPath.map(\.stringValue))")
        let keys = container.allKeys.sorted { $0.stringValue < $1.stringValue }
        note("keys \(keys.map { "\($0.stringValue) \($0.intValue ?? -1)" })")
        for key in keys + [ShapeKey("a"), ShapeKey("absent"), ShapeKey("NAME")] {
            note("\(key.stringValue) \(container.contains(key))")
            attempt { "nil \(try container.decodeNil(forKey: key))" }
            attempt { "Int \(try container.decode(Int.self, forKey: key))" }
            attempt { "String? \(try container.decodeIfPresent(String.self, forKey: key) ?? "none")" }
            attempt { "[Int] \(try container.decode([Int].self, forKey: key))" }
            attempt { "Point? \(String(describing: try container.decodeIfPresent(Point.self, forKey: key)))" }
            attempt { "list \(try container.nestedUnkeyedContainer(forKey: key).count ?? -1)" }
            attempt {
                let nested = try container.nestedContainer(keyedBy: ShapeKey.self, forKey: key)
                return "nested \(nested.allKeys.map(\.stringValue).sorted()) \(nested.codingPath.map(\.stringValue))"
            }
            attempt {
                let above = try container.superDecoder(forKey: key)
                return "super \(above.codingPath.map(\.stringValue)) \(try above.singleValueContainer().decodeNil())"
            }
        }
        attempt { "super \(try container.superDecoder().singleValueContainer().decodeNil())" }
    }

    private mutating func note(_ text: String) { seen.append(text) }

    private mutating func attempt(_ body: () throws -> String) { note(words(body)) }
}

/// Returns the text of a closure, or its error's kind and path.
private func words(_ body: () throws -> String) -> String {
    do {
        return try body()
    } catch let error as DecodingError {
        switch error {
        case .keyNotFound(let key, let context): return "missing \(key.stringValue) \(context.codingPath.map(\.stringValue))"
        case .valueNotFound(let type, let context): return "null \(type) \(context.codingPath.map(\.stringValue))"
        case .typeMismatch(let type, let context): return "type \(type) \(context.codingPath.map(\.stringValue))"
        // For numbers, JSONDecoder throws another error, which has no path.
        case .dataCorrupted: return "corrupted"
        @unknown default: return "unknown"
        }
    } catch {
        return "corrupted"
    }
}

/// Calls every method of an unkeyed container.
private struct Elements: Decodable, Equatable {
    var seen: [String] = []

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        var rounds = 0
        while !container.isAtEnd, rounds < 40 {
            rounds += 1
            seen.append("\(container.currentIndex) of \(container.count ?? -1) at \(container.codingPath.map(\.stringValue))")
            // A method that fails does not advance the container.
            seen.append(words { "nil \(try container.decodeNil())" })
            seen.append(words { "Int \(try container.decode(Int.self))" })
            seen.append(words { "Bool \(try container.decodeIfPresent(Bool.self).map { "\($0)" } ?? "none")" })
            seen.append(words { "Point \(try container.decode(Point.self))" })
            seen.append(words { "[Int] \(try container.nestedUnkeyedContainer().count ?? -1)" })
            seen.append(words { "object \(try container.nestedContainer(keyedBy: ShapeKey.self).allKeys.count)" })
            seen.append(words { "String \(try container.decode(String.self))" })
            guard !container.isAtEnd else { break }
            let before = container.currentIndex
            seen.append(words { "super \(try container.superDecoder().codingPath.map(\.stringValue))" })
            guard container.currentIndex != before else { break }
        }
        seen.append("\(container.currentIndex) \(container.isAtEnd)")
    }
}

/// Uses several containers of one decoder in turns.
private struct Views: Decodable, Equatable {
    private enum First: CodingKey { case a, b }
    private enum Second: CodingKey { case c, a }

    let values: [Int]

    init(from decoder: any Decoder) throws {
        let first = try decoder.container(keyedBy: First.self)
        let second = try decoder.container(keyedBy: Second.self)
        var list = try first.nestedUnkeyedContainer(forKey: .b)
        let point = try second.nestedContainer(keyedBy: ShapeKey.self, forKey: .c)
        var values = [try second.decode(Int.self, forKey: .a)]
        while !list.isAtEnd {
            values.append(try list.decode(Int.self))
            values.append(try point.decode(Int.self, forKey: ShapeKey("x")))
            values.append(try first.decode(Int.self, forKey: .a))
            values.append(try first.decode([Int].self, forKey: .b).count)
            values.append(try second.decode(Point.self, forKey: .c).x)
        }
        self.values = values + [try decoder.container(keyedBy: First.self).allKeys.count]
    }
}

private struct Wrapped<Value: Decodable & Equatable>: Decodable, Equatable {
    let value: Value

    init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Value.self)
    }
}

private struct Note: Decodable, Equatable {
    let texts: [String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ShapeKey.self)
        let above = try container.superDecoder(forKey: ShapeKey("note"))
        texts = [decoder, above].map { decoder in Shape.noteKey.flatMap { decoder.userInfo[$0] as? String } ?? "none" }
    }
}

private struct NumberedKeys: Decodable, Equatable {
    private enum CodingKeys: Int, CodingKey { case first = 1, second }

    let first: Int
    let second: String?
}

/// Reads more elements than an array has.
private struct PastTheEnd: Decodable, Equatable {
    let words: String

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { _ = try container.decode(Int.self) }
        let rest = try container.decodeIfPresent(Int.self)
        words = "\(container.currentIndex) \(rest ?? -1)"
        if container.count == 1 { _ = try container.decode(Int.self) }
        if container.count == 2 { _ = try container.decodeNil() }
        if container.count == 3 { _ = try container.nestedUnkeyedContainer() }
        if container.count == 4 { _ = try container.superDecoder() }
    }
}
