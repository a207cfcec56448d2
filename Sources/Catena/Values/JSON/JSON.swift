/// A JSON value of any shape, for responses without a type.
///
/// Members are read with a dot and elements with an index. Absent values and values of another type read as null; nothing traps.
///
/// ```swift
/// let name = response.users[0].name.string ?? "unknown"
/// let count = response["string"].int       // a key that equals an accessor's name
/// ```
///
/// The accessors never convert: `"1"` is no `int` and `1` is no `bool`. Objects keep the order of their members. Of duplicate keys, only the first
/// one is kept, as in `JSONDecoder`. Numbers keep their exact value. Two values are equal if they mean the same: the order of members is ignored, and
/// `1` equals `1.0`.
@dynamicMemberLookup
public struct JSON: Sendable {
    // Keep other members internal, because each public member hides a JSON key of that name from callers.
    enum Storage: Sendable {
        case null
        case bool(Bool)
        case integer(Int64)
        /// An integer above `Int64.max`, so that each integer has one form.
        case unsigned(UInt64)
        /// Any other number, as its original text.
        case number(String)
        case string(String)
        case array([JSON])
        case object(JSONObject)
    }

    let storage: Storage

    package static let nullValue = JSON(.null)

    init(_ storage: Storage) {
        self.storage = storage
    }

    /// Creates an object with members in this order. Of duplicate keys, the first one is kept.
    package init(members: [JSONObject.Member]) {
        storage = .object(JSONObject(members))
    }

    /// Creates an array from elements that need not be literals.
    ///
    /// ```swift
    /// let mixed = JSON(array: [1, "a", existing])
    /// ```
    public init(array: [JSON]) {
        storage = .array(array)
    }

    /// The text, if this is a string.
    public var string: String? {
        if case .string(let value) = storage { value } else { nil }
    }

    /// The value, if this is a whole number that fits. `1.0` and `1e3` are whole.
    public var int: Int? {
        switch storage {
        case .integer(let value): Int(exactly: value)
        case .unsigned(let value): Int(exactly: value)
        case .number(let text): JSONDecimal(text)?.integer.flatMap { Int(exactly: $0) }
        default: nil
        }
    }

    /// The nearest `Double`, if this is a number within its range.
    public var double: Double? {
        switch storage {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .number(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    /// The Boolean, if this is `true` or `false`, but not for a number.
    public var bool: Bool? {
        if case .bool(let value) = storage { value } else { nil }
    }

    /// The elements, if this is an array.
    public var array: [JSON]? {
        if case .array(let elements) = storage { elements } else { nil }
    }

    /// The members in order, if this is an object.
    public var object: JSONObject? {
        if case .object(let object) = storage { object } else { nil }
    }

    /// Whether this is null or represents an absent value.
    public var isNull: Bool {
        if case .null = storage { true } else { false }
    }

    /// The member with this name, or null.
    public subscript(dynamicMember key: String) -> JSON {
        self[key]
    }

    /// The member with this key, or null.
    public subscript(_ key: String) -> JSON {
        guard case .object(let object) = storage else { return .nullValue }
        return object[key] ?? .nullValue
    }

    /// The element at this index, or null.
    public subscript(_ index: Int) -> JSON {
        guard case .array(let elements) = storage, elements.indices.contains(index) else { return .nullValue }
        return elements[index]
    }
}
