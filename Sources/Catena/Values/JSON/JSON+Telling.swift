// Tests of a value's content.
extension JSON {
    /// Whether the value contains, at any depth, a scalar that is neither null, false, 0 nor empty.
    var hasSomething: Bool {
        switch storage {
        case .array(let elements): elements.contains(where: \.hasSomething)
        case .object(let object): object.members.contains { $0.value.hasSomething }
        default: isSomething
        }
    }

    var isNumber: Bool {
        switch storage {
        case .integer, .unsigned, .number: true
        default: false
        }
    }

    /// Whether the value is neither null, false, 0 nor empty.
    var isSomething: Bool {
        switch storage {
        case .null: false
        case .bool(let value): value
        case .integer(let value): value != 0
        case .unsigned: true
        case .number: double != 0
        case .string(let text): !text.isEmpty
        case .array(let elements): !elements.isEmpty
        case .object(let object): !object.members.isEmpty
        }
    }
}
