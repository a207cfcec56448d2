/// A JSON value of any shape, for responses that have no type of their own.
///
/// Members are read with a dot and elements with an index. Nothing traps: what is absent, or of another type, reads as null.
///
/// ```swift
/// let name = response.users[0].name.string ?? "unknown"
/// let count = response["string"].int       // a key that is also an accessor's name
/// ```
///
/// The accessors never convert: `"1"` is no `int` and `1` is no `bool`. Objects keep the order of their members, and a key that
/// comes twice counts once, with its first value, as `JSONDecoder` has it. Numbers keep their exact value.
/// Two values are equal when they mean the same: members in any order, and `1` is `1.0`.
@dynamicMemberLookup
public struct JSON: Sendable {
    // Whatever is public here hides a member of that name from callers, so everything that is not promised stays internal.
    enum Storage: Sendable {
        case null
        case bool(Bool)
        case integer(Int64)
        /// An integer above `Int64.max`, so that each integer has one form.
        case unsigned(UInt64)
        /// Any other number, as its exact text.
        case number(String)
        case string(String)
        case array([JSON])
        case object(JSONObject)
    }

    let storage: Storage

    static let nullValue = JSON(.null)

    init(_ storage: Storage) {
        self.storage = storage
    }

    /// Makes an object from members in their order; of a key that comes twice, the first stays.
    init(members: [JSONObject.Member]) {
        storage = .object(JSONObject(members))
    }

    /// Makes an array from elements that need not be literals.
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

    /// The value, if this is a number that is whole and fits. `1.0` and `1e3` are whole.
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

    /// The truth value, if this is `true` or `false`; a number never is one.
    public var bool: Bool? {
        if case .bool(let value) = storage { value } else { nil }
    }

    /// The elements, if this is an array.
    public var array: [JSON]? {
        if case .array(let elements) = storage { elements } else { nil }
    }

    /// The members in their order, if this is an object.
    public var object: JSONObject? {
        if case .object(let object) = storage { object } else { nil }
    }

    /// Whether this is null, or stands for something absent.
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

    /// The element at this place, or null.
    public subscript(_ index: Int) -> JSON {
        guard case .array(let elements) = storage, elements.indices.contains(index) else { return .nullValue }
        return elements[index]
    }
}
