/// Builds a `JSON` value from the scanner's events.
private struct JSONBuilder: JSONVisitor {
    /// The start of a container's values and keys on the stacks.
    private struct Container {
        let values: Int
        let keys: Int
    }

    /// The values that are not yet in a container; at the end, only the document. One stack serves all depths, so that each container's array is
    /// allocated once, at its final size.
    private(set) var values: [JSON] = []
    private var keys: [String] = []
    private var containers: [Container] = []

    mutating func key(_ token: JSONToken, in scanner: JSONScanner) {
        keys.append(scanner.string(token))
    }

    mutating func scalar(_ token: JSONToken, in scanner: JSONScanner) {
        let storage: JSON.Storage =
            switch token.kind {
            case .string: .string(scanner.string(token))
            case .number: scanner.number(token)
            case .bool: .bool(scanner.byte(at: token.range.lowerBound) == UInt8(ascii: "t"))
            case .null, .array, .object: .null
            }
        values.append(JSON(storage))
    }

    mutating func open(_ kind: JSONSpan.Kind, at offset: Int) {
        containers.append(Container(values: values.count, keys: keys.count))
    }

    mutating func close(_ kind: JSONSpan.Kind, at offset: Int) {
        guard let container = containers.popLast() else { return }
        let value: JSON
        if kind == .object {
            let members = zip(keys[container.keys...], values[container.values...]).map { JSONObject.Member(key: $0, value: $1) }
            value = JSON(members: members)
            keys.removeLast(members.count)
        } else {
            value = JSON(array: Array(values[container.values...]))
        }
        values.removeLast(values.count - container.values)
        values.append(value)
    }
}

extension JSON {
    /// Parses a whole document in UTF-8, strictly by RFC 8259.
    ///
    /// A leading byte order mark is ignored, and the outermost value can be of any type. Of duplicate keys, the first one is kept.
    init(parsing bytes: some Collection<UInt8>) throws(JSONSyntaxError) {
        try self.init(bytes, in: nil)
    }

    /// Parses the value at a position in a scanned document.
    init(_ bytes: some Collection<UInt8>, _ span: JSONSpan) throws(JSONSyntaxError) {
        try self.init(bytes, in: span.range)
    }

    /// Parses the whole document, or the value in this range of it.
    init(_ bytes: some Collection<UInt8>, in range: Range<Int>?) throws(JSONSyntaxError) {
        self = try JSONScanner.read(bytes, in: range) { (scanner) throws(JSONFault) in
            var builder = JSONBuilder()
            try scanner.document(&builder)
            return builder.values.first ?? .nullValue
        }
    }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self.init(.null) }
    public init(booleanLiteral value: Bool) { self.init(.bool(value)) }
    public init(integerLiteral value: Int) { self.init(.integer(Int64(value))) }
    /// Creates a number. NaN and infinity, which JSON cannot represent (RFC 8259 §6), become null.
    public init(floatLiteral value: Double) { self.init(value.isFinite ? .number(value.description) : .null) }
    public init(stringLiteral value: String) { self.init(.string(value)) }
    public init(arrayLiteral elements: JSON...) { self.init(array: elements) }
    /// Creates an object with the literal's order. Of duplicate keys, the first one is kept.
    public init(dictionaryLiteral members: (String, JSON)...) {
        self.init(members: members.map { JSONObject.Member(key: $0.0, value: $0.1) })
    }
}
