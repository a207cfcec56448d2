import Foundation

extension Specimen {
    static let enums: [Specimen] = [
        Specimen(Level.self) { $0.text(.int) },
        Specimen([Suit].self) { "[\($0.suit()),\($0.suit())]" },
        Specimen(Event.self) { $0.event() },
        Specimen([Event].self) { "[\($0.event()),\($0.event())]" },
        Specimen([Event?].self) { "[\($0.event()),null]" },
        Specimen(Holder.self) { $0.object([("suit", $0.suit()), ("event", $0.event()), ("level", $0.text(.optional(.int)))]) },
        Specimen([Ratio].self) { $0.text(.array(.double)) },
    ]
}

private enum Level: Int8, Decodable { case none, low = 7, high = 100 }

private enum Ratio: Double, Decodable { case half = 0.5, whole = 1 }

private enum Suit: String, Decodable {
    case hearts, spades
    case empty = ""
    case accented = "caf\u{e9}"
}

/// An enum whose associated values are decoded by the compiler's code.
private enum Event: Decodable, Equatable {
    case started
    case moved(x: Int, y: Double?)
    case renamed(String)
    case at(Point, [Int])
    indirect case after(Event)
}

private struct Holder: Decodable, Equatable {
    let suit: Suit
    let event: Event?
    let level: Level?
}

extension ShapeGenerator {
    fileprivate mutating func suit() -> String {
        quoted(pick(["hearts", "spades", "", "caf\u{e9}", "cafe\u{301}", chance(wrong) ? "clubs" : "hearts"]))
    }

    fileprivate mutating func event(depth: Int = 0) -> String {
        let cases = [
            ("started", "{}"), ("moved", text(.fields(["x": .int, "y": .optional(.double)]))), ("renamed", text(.fields(["_0": .string]))),
            ("at", text(.fields(["_0": Point.shape, "_1": .array(.int)]))),
            ("after", depth > 2 ? "{}" : object([("_0", event(depth: depth + 1))])), ("unknown", anything()),
        ]
        if chance(wrong) { return object([pick(cases), pick(cases)]) }
        return chance(wrong) ? object([]) : object([pick(cases)])
    }
}
