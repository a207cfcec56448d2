import CatenaPlatform

extension Params {
    /// Creates params from a dictionary with values of types known only at run time. They are sorted by key, because a dictionary has no order. A
    /// `nil` value is left out.
    package init(checking dictionary: [String: Any]) throws(ParameterError) {
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
    /// Creates a node from a value of any type. Returns `nil` if the value is an optional without a value.
    fileprivate init?(checking value: Any, depth: Int) throws(ParameterError) {
        // Checked before params, because an optional is also a param, which would turn `nil` into null.
        if let optional = value as? any OptionalValue {
            guard let wrapped = optional.wrapped else { return nil }
            try self.init(checking: wrapped, depth: depth)
            return
        }
        // Checked before the other types, because an `NSNumber` can be cast to many of them.
        if let node = ParameterNode(foundation: value) {
            self = node
            return
        }
        switch value {
        case let value as any ParameterValue: self = value.parameterNode
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
                // A `nil` becomes a null, so that later elements keep their indexes.
                nodes.append(try ParameterNode(checking: element, depth: depth) ?? .null)
            } catch {
                throw error.inside(index)
            }
        }
        self = .array(nodes)
    }
}

/// Recognises an optional of any type inside `Any`.
protocol OptionalValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    var wrapped: Any? { self }
}
