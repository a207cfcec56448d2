import Foundation

/// Random values of types as an app would declare them, and of Foundation's types.
enum EncodedSpecimen {
    static func value(_ generator: inout ScriptGenerator, depth: Int = 0) -> any Encodable & Sendable {
        switch Int.random(in: 0..<34, using: &generator.random) {
        case 0: date(&generator)
        case 1: data(&generator)
        case 2: url(&generator)
        case 3: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, generator.integer()))
        case 4: decimal(&generator)
        case 5: [generator.string(), generator.string()]
        case 6: [generator.integer() as Int, generator.integer(), generator.integer()]
        case 7: [generator.double(), generator.double()]
        case 8: [generator.integer() as UInt8, generator.integer()]
        case 9: [[generator.float()], []]
        case 10: Dictionary([(generator.string(), generator.double()), (generator.string(), 1)]) { $1 }
        case 11: Dictionary([(generator.integer() as Int, generator.string()), (7, "seven")]) { $1 }
        case 12: [Suit.hearts: generator.integer() as Int, .accented: 2]
        case 13: Set([generator.integer() as Int16])
        case 14: Optional(generator.chance(50) ? nil : generator.string())
        case 15: [generator.string(), nil, ""] as [String?]
        case 16: Event.moved(x: generator.integer(), y: generator.chance(50) ? nil : generator.double())
        case 17: Event.after(.renamed(generator.string()))
        case 18: [Event.started, .at(Spot(x: 1, y: nil), [1, 2]), .after(.started)]
        case 19: Level.high
        case 20: Dog(name: generator.string(), legs: generator.chance(50) ? nil : 4, age: generator.integer())
        case 21: Cat(name: generator.string(), legs: 4, lives: generator.integer())
        case 22: Bird(name: generator.string(), legs: 2, age: generator.integer())
        case 23: order(&generator)
        case 24: DateInterval(start: date(&generator), duration: generator.double().magnitude.truncatingRemainder(dividingBy: 1e9))
        case 25: IndexPath(indexes: [1, 2, generator.integer() & 0xFF])
        case 26: DateComponents(year: 2026, month: 2)
        case 27: Locale(identifier: "zh_CN")
        case 28: 0...Int(generator.integer() as UInt8)
        case 29: [date(&generator), date(&generator)]
        case 30: [data(&generator)]
        case 31: Spot(x: generator.integer(), y: generator.double())
        case 32: [generator.integer() as Int: [date(&generator)]]
        default: [[String: [Decimal?]]](repeating: [generator.string(): [decimal(&generator), nil]], count: 2)
        }
    }

    private static func date(_ generator: inout ScriptGenerator) -> Date {
        switch Int.random(in: 0..<5, using: &generator.random) {
        case 0: Date(timeIntervalSince1970: Double(generator.integer() as Int32))
        case 1: Date(timeIntervalSince1970: Double(generator.integer() as Int32) + Double(generator.integer() as UInt8) / 256)
        case 2: Date(timeIntervalSince1970: Double(generator.integer() as Int64 >> 30))
        case 3: Date(timeIntervalSinceReferenceDate: Double.random(in: -7e10...2.5e11, using: &generator.random))
        default:
            Date(
                timeIntervalSince1970: generator.pick([
                    0, -1, 0.5, 951_782_400, 951_868_799.999, -62_135_596_800, -12_212_553_600, -12_212_553_601, 253_402_300_799, 1e12,
                ]))
        }
    }

    private static func data(_ generator: inout ScriptGenerator) -> Data {
        Data((0..<generator.pick([0, 1, 2, 3, 10, 100])).map { _ in generator.integer() as UInt8 })
    }

    private static func url(_ generator: inout ScriptGenerator) -> URL? {
        URL(string: generator.pick(["https://example.com/a?b=1#c", "/relative", "", "http://[::1]/", "mailto:a@example.com"]))
    }

    private static func decimal(_ generator: inout ScriptGenerator) -> Decimal {
        Decimal(generator.integer() as Int64) / generator.pick([1, 10, 1000, 3])
    }

    private static func order(_ generator: inout ScriptGenerator) -> Order {
        let lines = (0..<generator.pick([0, 1, 3])).map { _ in
            Order.Line(
                sku: generator.string(), count: generator.integer(), price: generator.double(),
                note: generator.chance(50) ? nil : generator.string())
        }
        return Order(
            number: generator.integer(), userName: generator.string(), isOpen: generator.chance(50) ? nil : true, created: date(&generator),
            shipped: nil,
            link: url(&generator), signature: data(&generator), suit: generator.pick([.hearts, .accented]), lines: lines,
            extra: [generator.string(): generator.integer()])
    }
}

private enum Level: Int8, Encodable { case high = 100 }

private enum Suit: String, Encodable, CodingKeyRepresentable {
    case hearts
    case accented = "caf\u{e9}"
}

private enum Event: Encodable, Sendable {
    case started
    case moved(x: Int, y: Double?)
    case renamed(String)
    case at(Spot, [Int])
    indirect case after(Event)
}

private struct Spot: Encodable, Sendable {
    let x: Int
    let y: Double?
}

private struct Order: Encodable, Sendable {
    let number: Int64
    let userName: String
    let isOpen: Bool?
    let created: Date
    let shipped: Date?
    let link: URL?
    let signature: Data
    let suit: Suit
    let lines: [Line]
    let extra: [String: Int]

    struct Line: Encodable, Sendable {
        let sku: String
        let count: UInt16
        let price: Double
        let note: String?
    }
}

private class Animal: Encodable, @unchecked Sendable {
    let name: String
    let legs: Int?

    init(name: String, legs: Int?) {
        (self.name, self.legs) = (name, legs)
    }
}

/// A class whose superclass is encoded under the default key.
private final class Dog: Animal, @unchecked Sendable {
    let age: Int

    private enum CodingKeys: CodingKey { case age }

    init(name: String, legs: Int?, age: Int) {
        self.age = age
        super.init(name: name, legs: legs)
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(age, forKey: .age)
        try super.encode(to: container.superEncoder())
    }
}

/// A class whose superclass is encoded into the class's own container.
private final class Cat: Animal, @unchecked Sendable {
    let lives: Int

    private enum CodingKeys: CodingKey { case lives, after }

    init(name: String, legs: Int?, lives: Int) {
        self.lives = lives
        super.init(name: name, legs: legs)
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(lives, forKey: .lives)
        try super.encode(to: encoder)
        try container.encode(true, forKey: .after)
    }
}

/// A class that encodes a member before it uses the encoder of its superclass.
private final class Bird: Animal, @unchecked Sendable {
    let age: Int

    private enum CodingKeys: String, CodingKey { case age, animal }

    init(name: String, legs: Int?, age: Int) {
        self.age = age
        super.init(name: name, legs: legs)
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let above = container.superEncoder(forKey: .animal)
        try container.encode(age, forKey: .age)
        try super.encode(to: above)
    }
}
