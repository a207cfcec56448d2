extension JSON: ParameterValue {
    /// The same value, its numbers exact.
    public var parameterNode: ParameterNode {
        switch storage {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .unsigned(let value): .unsigned(value)
        case .number(let text): .number(text)
        case .string(let value): .string(value)
        case .array(let elements): .array(elements.map(\.parameterNode))
        case .object(let object):
            .object(Params(object.members.lazy.map { Params.Member(key: $0.key, node: $0.value.parameterNode) }))
        }
    }
}

extension ParameterValue where Self == JSON {
    /// JSON null, where `nil` would leave the parameter out: `["parent": .null]`.
    public static var null: JSON { .nullValue }
}

extension JSON {
    /// Makes an object from parameters, in their order. Dates are ISO 8601 text and bytes base 64.
    ///
    /// What JSON has no form for, such as NaN, stays in place and fails with an error when it is sent.
    public init(_ members: Params) {
        self.init(node: members.parameterNode)
    }

    private init(node: ParameterNode) {
        let style = ParameterStyle()
        switch node {
        case .null: self.init(.null)
        case .bool(let value): self.init(.bool(value))
        case .string(let value): self.init(.string(value))
        case .integer(let value): self.init(.integer(value))
        case .unsigned(let value): self.init(.unsigned(value))
        case .date, .data: self.init((try? style.text(of: node)).map { .string($0) } ?? .null)
        case .double, .decimal, .number: self.init((try? style.numberText(of: node)).map(Self.number) ?? .number("NaN"))
        case .array(let elements): self.init(array: elements.map { JSON(node: $0) })
        case .object(let object):
            self.init(members: object.members.map { JSONObject.Member(key: $0.key, value: JSON(node: $0.node)) })
        }
    }

    /// The form that the parser gives to a number: every whole one that fits is an integer, except minus zero.
    private static func number(_ text: String) -> Storage {
        if text == "-0" { return .number(text) }
        if let integer = Int64(text) { return .integer(integer) }
        if let unsigned = UInt64(text) { return .unsigned(unsigned) }
        return .number(text)
    }
}
