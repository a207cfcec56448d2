/// A key of an object, or an index of an array.
enum PlainKey: CodingKey {
    case name(String)
    case index(Int)

    /// The name that `Codable` uses for superclasses.
    static let superclass = PlainKey.name("super")

    var stringValue: String {
        switch self {
        case .name(let name): name
        case .index(let index): String(index)
        }
    }

    var intValue: Int? {
        if case .index(let index) = self { index } else { nil }
    }

    init(_ key: String) { self = .name(key) }
    init(stringValue: String) { self = .name(stringValue) }
    init(intValue: Int) { self = .index(intValue) }
}
