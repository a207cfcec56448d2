import Foundation

extension Params {
    /// The members of a dictionary whose values have types that only the run time knows, sorted by key, because it has no order of its
    /// own. One that is `nil` is left out.
    init(checking dictionary: [String: Any]) throws(ParameterError) {
        try self.init(checking: dictionary, depth: 0)
    }

    fileprivate init(checking dictionary: [String: Any], depth: Int) throws(ParameterError) {
        try ParameterError.checkDepth(depth)
        self.init()
        for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) {
            do throws(ParameterError) {
                if let node = try ParameterNode(checking: value, depth: depth) { set(node, for: key) }
            } catch {
                throw error.inside(key)
            }
        }
    }
}

extension ParameterNode {
    /// `nil` for a value that is nil itself.
    fileprivate init?(checking value: Any, depth: Int) throws(ParameterError) {
        // Before params, of which an optional is one: `nil` and null are not the same.
        if let optional = value as? any OptionalValue {
            guard let wrapped = optional.wrapped else { return nil }
            try self.init(checking: wrapped, depth: depth)
            return
        }
        switch value {
        case let value as any ParameterValue: self = value.parameterNode
        case is NSNull: self = .null
        // Before all that a number casts to, too.
        case let number as NSNumber: self.init(number)
        case let text as String: self = .string(text)
        case let date as Date: self = .date(date)
        case let data as Data: self = .data(data)
        case let address as URL: self = address.parameterNode
        case let id as UUID: self = id.parameterNode
        case let object as [String: Any]: self = .object(try Params(checking: object, depth: depth + 1))
        case let elements as [Any]: try self.init(checking: elements, depth: depth + 1)
        default: throw ParameterError("it is a \(type(of: value)), which has no form as a param")
        }
    }

    private init(checking elements: [Any], depth: Int) throws(ParameterError) {
        try ParameterError.checkDepth(depth)
        var nodes: [ParameterNode] = []
        for (index, element) in elements.enumerated() {
            do throws(ParameterError) {
                // One that is `nil` is a null, so that the others keep their places.
                nodes.append(try ParameterNode(checking: element, depth: depth) ?? .null)
            } catch {
                throw error.inside(index)
            }
        }
        self = .array(nodes)
    }

    private init(_ number: NSNumber) {
        // There are two booleans, and each is one object: nothing else tells `true` from a small 1.
        if number === NSNumber(value: true) || number === NSNumber(value: false) {
            self = .bool(number.boolValue)
            return
        }
        if let number = number as? NSDecimalNumber {
            self = .decimal(number.decimalValue)
            return
        }
        switch number.objCType.pointee {
        case CChar(UInt8(ascii: "d")): self = .double(number.doubleValue)
        case CChar(UInt8(ascii: "f")): self = number.floatValue.parameterNode
        case CChar(UInt8(ascii: "Q")): self = number.uint64Value.parameterNode
        default: self = .integer(number.int64Value)
        }
    }
}

/// Tells an optional inside `Any`, of whatever type.
protocol OptionalValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    var wrapped: Any? { self }
}
