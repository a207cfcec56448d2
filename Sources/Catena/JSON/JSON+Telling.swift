// Facts about a value beyond its presence.
extension JSON {
    /// Whether there is anything in the value, at any depth, that is neither null, false, 0 nor empty.
    var hasSomething: Bool {
        switch storage {
        case .array(let elements): elements.contains(where: \.hasSomething)
        case .object(let object): object.members.contains { $0.value.hasSomething }
        default: isSomething
        }
    }

    /// Neither null, false, 0 nor empty.
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
