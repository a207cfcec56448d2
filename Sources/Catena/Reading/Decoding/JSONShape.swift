/// The required structure of a JSON value, for responses without a type.
///
/// ```swift
/// let user: JSONShape = .object(["id": .integer, "name": .string, "tags": .array(of: .string), "note": .optional(.string)])
///
/// API.tag(.forum).get("/users/7").execute()
///     .map { response in try user.checked(response) }
/// ```
///
/// Members of an object that the shape does not name are ignored.
public indirect enum JSONShape: Sendable {
    /// Any value, null included.
    case any
    /// True or false.
    case bool
    /// A whole number, such as `1` or `1.0`.
    case integer
    /// A number, whole or not.
    case number
    /// A string.
    case string
    /// An array whose elements have this shape.
    case array(of: JSONShape)
    /// An object with these members.
    case object([String: JSONShape])
    /// Null, absent, or a value of this shape.
    case optional(JSONShape)

    /// A place at which a value differs from its shape.
    public struct Fault: Sendable, Equatable, CustomStringConvertible {
        /// Keys joined by dots, with indices in brackets; `""` is the value itself.
        public let path: String
        /// The wanted and the actual value, without secrets.
        public let reason: String

        public var description: String { (path.isEmpty ? "the value" : path) + ": " + reason }
    }

    /// Returns all differences between a value and this shape. Members are checked in the order of their keys.
    public func faults(in value: JSON) -> [Fault] {
        var faults: [Fault] = []
        collect(value, at: "", isHidden: false, into: &faults)
        return faults
    }

    /// Returns the value if it has this shape.
    ///
    /// - Throws: An ``APIError`` of kind `decoding` that names up to eight differences.
    public func checked(_ value: JSON) throws(APIError) -> JSON {
        let faults = faults(in: value)
        guard !faults.isEmpty else { return value }
        let rest = faults.count > 8 ? "; and \(faults.count - 8) more" : ""
        throw APIError(.decoding, message: faults.prefix(8).map(\.description).joined(separator: "; ") + rest)
    }

    private func collect(_ value: JSON?, at path: String, isHidden: Bool, into faults: inout [Fault]) {
        func differs(_ wanted: String) {
            faults.append(Fault(path: path, reason: "wanted \(wanted), but it is \(value?.summary(hidden: isHidden) ?? "absent")"))
        }
        switch self {
        case .any: if value == nil { differs("any value") }
        case .bool: if value?.bool == nil { differs("a truth value") }
        case .integer: if value?.isWhole != true { differs("a whole number") }
        case .number: if value?.isNumber != true { differs("a number") }
        case .string: if value?.string == nil { differs("a string") }
        case .optional(let shape):
            if let value, !value.isNull { shape.collect(value, at: path, isHidden: isHidden, into: &faults) }
        case .array(let shape):
            guard let elements = value?.array else { return differs("an array") }
            for (index, element) in elements.enumerated() {
                shape.collect(element, at: "\(path)[\(index)]", isHidden: isHidden, into: &faults)
            }
        case .object(let shapes):
            guard case .object(let object) = value?.storage else { return differs("an object") }
            for (key, shape) in shapes.ordered(by: { $0.key < $1.key }) {
                let isHidden = isHidden || Redaction.current.isSecret(name: key)
                shape.collect(object[key], at: path.isEmpty ? key : "\(path).\(key)", isHidden: isHidden, into: &faults)
            }
        }
    }
}

extension JSON {
    fileprivate var isWhole: Bool {
        switch storage {
        case .integer, .unsigned: true
        case .number: int != nil
        default: false
        }
    }
}
