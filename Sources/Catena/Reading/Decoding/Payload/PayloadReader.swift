import CatenaPlatform

/// The state that all containers of one decoding share: the document, the strategies and the current path.
final class PayloadReader {
    typealias Place = JSONTape.Place

    let tape: JSONTape
    let strategies: DecodingStrategies
    /// The keys on the path to the current value. A container's path is a prefix of it while the container's type is being decoded.
    @exclusivity(unchecked)
    var path: [any CodingKey]
    /// The single values that stand for arrays while their elements are decoded, with the types of these.
    private var onlyElements: [(place: Place, type: ObjectIdentifier)] = []
    /// The keys that the document's type asked for, if they are recorded. No code of the type runs while they change.
    @exclusivity(unchecked)
    var keys = AskedKeys()
    private var tables: [Place: JSONObjectTable] = [:]

    init(_ tape: JSONTape, _ strategies: DecodingStrategies, path: [any CodingKey] = []) {
        self.tape = tape
        self.strategies = strategies
        self.path = path
    }

    /// Creates a reader for a container or decoder that may be used after its parent has advanced.
    func branch(at path: [any CodingKey]) -> PayloadReader {
        let branch = PayloadReader(tape, strategies, path: path)
        branch.onlyElements = onlyElements
        return branch
    }

    /// Creates a reader for the element of an array for which a single value stands, or returns `nil` if it stands for an array of this type already.
    /// A type that tries an array of itself first would ask for its elements without end.
    func branch(at path: [any CodingKey], forOnlyElement place: Place, of type: Any.Type) -> PayloadReader? {
        let type = ObjectIdentifier(type)
        guard !onlyElements.contains(where: { $0.place == place && $0.type == type }) else { return nil }
        let branch = branch(at: path)
        branch.onlyElements.append((place, type))
        return branch
    }

    @inline(__always)
    func path(_ depth: UInt32) -> [any CodingKey] {
        path.count == depth ? path : Array(path.prefix(Int(depth)))
    }

    func path(_ depth: UInt32, _ key: some CodingKey) -> [any CodingKey] {
        path(depth) + CollectionOfOne<any CodingKey>(key)
    }

    // MARK: Keys

    @inline(__always)
    func member(_ key: String, of object: Place) -> Place? {
        if strategies.keepsKeys, tape.entry(object).kind == .object { return tape.member(key, of: object) }
        return table(of: object, below: path)[key]
    }

    /// Returns the distinct keys of an object, in the order of the document.
    func keys(of object: Place, at depth: UInt32) -> [String] {
        if strategies.keepsKeys, tape.entry(object).kind == .object { return tape.keys(of: object) }
        return table(of: object, below: path(depth)).keys
    }

    func prepareKeys(of object: Place) {
        if !strategies.keepsKeys { _ = table(of: object, below: path) }
    }

    private func table(of object: Place, below path: [any CodingKey]) -> JSONObjectTable {
        if let table = tables[object] { return table }
        let table = JSONObjectTable(tape, object) { key in strategies.converted(key, below: path) }
        tables[object] = table
        return table
    }

    // Separate functions, because only the outermost object of a document records its keys.

    @inline(never)
    func note(_ key: String, isRequired: Bool, isFound: Bool) {
        keys.note(key, isRequired: isRequired, isFound: isFound)
    }

    @inline(never)
    func noteAllKeys(isEmpty: Bool) {
        keys.noteAll(isEmpty: isEmpty)
    }

    // MARK: Scalars

    @inline(__always)
    func integer<Value: FixedWidthInteger & Decodable>(_ place: Place, as type: Value.Type) -> Value? {
        let entry = tape.entry(place)
        return tape.integer(entry, as: type) ?? (strategies.isLenient ? lenientInteger(entry, as: type) : nil)
    }

    @inline(__always)
    func string(_ place: Place) -> String? {
        let entry = tape.entry(place)
        if entry.kind.isText { return tape.string(entry) }
        return strategies.isLenient ? lenientString(entry) : nil
    }

    @inline(__always)
    func bool(_ place: Place) -> Bool? {
        let entry = tape.entry(place)
        return switch entry.kind {
        case .true: true
        case .false: false
        default: strategies.isLenient ? lenientBool(entry) : nil
        }
    }

    @inline(__always)
    func double(_ place: Place) -> Double? {
        let entry = tape.entry(place)
        return tape.double(entry) ?? unusualFloat(entry)
    }

    @inline(__always)
    func float(_ place: Place) -> Float? {
        let entry = tape.entry(place)
        return tape.float(entry) ?? unusualFloat(entry)
    }

    private func unusualFloat<Value: BinaryFloatingPoint & LosslessStringConvertible>(_ entry: JSONTape.Entry) -> Value? {
        // Only strings without escapes, as in `JSONDecoder`.
        if entry.kind == .string, let value: Value = strategies.nonConforming(tape.string(entry)) { return value }
        return strategies.isLenient ? lenientFloat(entry) : nil
    }

    /// Whether a type is a common element type of arrays. Checked first, because returning an optional of a generic type is slow.
    @inline(__always)
    static func isScalar(_ type: Any.Type) -> Bool {
        type == String.self || type == Int.self || type == Double.self
    }

    /// Decodes a value of such a type.
    func scalar<Value>(_ place: Place, as type: Value.Type) -> Value? {
        if type == String.self { return same(string(place)) }
        if type == Int.self { return same(integer(place, as: Int.self)) }
        if type == Double.self { return same(double(place)) }
        return nil
    }

    // MARK: Any value

    /// Decodes the value under a key of a container.
    @inline(__always)
    func value<Value: Decodable>(_ place: Place, as type: Value.Type, at depth: UInt32, _ key: some CodingKey) throws -> Value {
        // Use a separate path for a container that is used while another value is being decoded, or after its own value has been decoded.
        guard path.count == depth else { return try branch(at: path(depth, key)).value(place, as: type) }
        path.append(key)
        defer { path.removeLast() }
        return try value(place, as: type)
    }

    /// Decodes the value at ``path``.
    func value<Value: Decodable>(_ place: Place, as type: Value.Type) throws -> Value {
        do {
            return try strictValue(place, as: type)
        } catch {
            guard strategies.isLenient else { throw explained(error, place, as: type) }
            return try rescue(place, as: type, from: explained(error, place, as: type))
        }
    }

    @inline(__always)
    func strictValue<Value: Decodable>(_ place: Place, as type: Value.Type) throws -> Value {
        isSpecial(type, place) ? try specialValue(place, as: type) : try plainValue(place, as: type)
    }

    // Two separate functions, because an optional of a generic type takes a lookup at run time, also where it is not used.
    @inline(never)
    private func specialValue<Value: Decodable>(_ place: Place, as type: Value.Type) throws -> Value {
        guard tape.entry(place).kind == .array else { return try rareValue(place, as: type) }
        if type == [String].self, let texts = elements(of: place, { string($0) }) { return unsafeBitCast(texts, to: type) }
        if type == [Int].self, let numbers = elements(of: place, { integer($0, as: Int.self) }) { return unsafeBitCast(numbers, to: type) }
        if type == [Double].self, let numbers = elements(of: place, { double($0) }) { return unsafeBitCast(numbers, to: type) }
        return try rareValue(place, as: type)
    }

    @inline(never)
    private func rareValue<Value: Decodable>(_ place: Place, as type: Value.Type) throws -> Value {
        if let special = try special(place, as: type) { return special }
        return try plainValue(place, as: type)
    }

    @inline(__always)
    private func plainValue<Value: Decodable>(_ place: Place, as type: Value.Type) throws -> Value {
        try Value(from: ValueDecoder(reader: self, place: place, depth: UInt32(path.count)))
    }
}

extension JSONTape.Kind {
    /// Whether the value is a string, with or without escapes.
    @inline(__always)
    var isText: Bool { self == .string || self == .escapedString }
}
