/// Receives the name and value pairs into which parameters are flattened.
protocol ParameterSink: ~Copyable {
    /// Starts a pair.
    mutating func begin(_ name: String)
    /// Starts a pair whose name was built from several keys.
    mutating func begin(_ name: [UInt8])
    /// Appends text to the value of the current pair.
    mutating func append(_ text: String)
    /// Appends the digits of a whole number to the value of the current pair.
    mutating func append(_ value: Int64)
    /// Appends a comma that separates elements and is not part of one.
    mutating func appendSeparator()
}

/// Flattens nested parameters into name and value pairs.
///
/// One buffer holds the current name, and grows and shrinks during the traversal. So the work is proportional to the length of the output.
struct ParameterFlattening<Sink: ParameterSink & ~Copyable>: ~Copyable {
    private(set) var sink: Sink
    private var name: [UInt8] = []

    init(into sink: consuming Sink) {
        self.sink = sink
    }

    // The style is an argument, because reading it from `self` while `self` changes would copy it.
    mutating func flatten(_ params: Params, _ style: ParameterStyle) throws(ParameterError) {
        let members = style.members(of: params)
        for index in members.indices {
            do throws(ParameterError) {
                switch members[index].node {
                // Most params are single values, whose names need no buffer.
                case .string(let text):
                    sink.begin(members[index].key)
                    sink.append(text)
                case .integer(let value):
                    sink.begin(members[index].key)
                    sink.append(value)
                default:
                    name.append(contentsOf: members[index].key.utf8)
                    try flatten(members[index].node, style, isElement: false, depth: 0)
                    name.removeAll(keepingCapacity: true)
                }
            } catch {
                throw error.inside(members[index].key)
            }
        }
    }

    private mutating func flatten(_ object: Params, _ style: ParameterStyle, depth: Int) throws(ParameterError) {
        try ParameterError.checkDepth(depth)
        let parent = name.count
        for member in style.members(of: object) {
            appendNested(member.key, style)
            do throws(ParameterError) {
                try flatten(member.node, style, isElement: false, depth: depth)
            } catch {
                throw error.inside(member.key)
            }
            name.removeLast(name.count - parent)
        }
    }

    // A separate function, because objects and arrays would otherwise contain copies of each other.
    @inline(never)
    private mutating func flatten(
        _ node: ParameterNode, _ style: ParameterStyle, isElement: Bool, depth: Int
    ) throws(ParameterError) {
        switch node {
        case .object(let object) where object.isEmpty: writeEmptyCollection(style)
        case .array(let elements) where elements.isEmpty: writeEmptyCollection(style)
        case .object(let object): try flatten(object, style, depth: depth + 1)
        case .array(let elements): try flatten(elements, style, depth: depth + 1)
        case .null:
            guard let text = style.nullText(isElement: isElement) else { return }
            write(text)
        default:
            if let text = try style.text(of: node) { write(text) }
        }
    }

    private mutating func flatten(_ elements: [ParameterNode], _ style: ParameterStyle, depth: Int) throws(ParameterError) {
        try ParameterError.checkDepth(depth)
        switch style.arrays {
        case .comma, .bareComma: return try join(elements, style)
        default: break
        }
        let array = name
        for (index, element) in elements.enumerated() {
            switch style.arrays {
            case .brackets: name.append(contentsOf: "[]".utf8)
            case .index:
                name.append(UInt8(ascii: "["))
                name.append(contentsOf: String(index).utf8)
                name.append(UInt8(ascii: "]"))
            case .custom(let closure): name = Array(closure(String(decoding: array, as: UTF8.self), index).utf8)
            case .repeat, .comma, .bareComma: break
            }
            do throws(ParameterError) {
                try flatten(element, style, isElement: true, depth: depth)
            } catch {
                throw error.inside(index)
            }
            if case .custom = style.arrays { name = array } else { name.removeLast(name.count - array.count) }
        }
    }

    private mutating func join(_ elements: [ParameterNode], _ style: ParameterStyle) throws(ParameterError) {
        sink.begin(name)
        for (index, element) in elements.enumerated() {
            if index > 0 {
                if case .bareComma = style.arrays { sink.appendSeparator() } else { sink.append(",") }
            }
            do throws(ParameterError) {
                sink.append(try style.joinedText(of: element))
            } catch {
                throw error.inside(index)
            }
        }
    }

    private mutating func appendNested(_ key: String, _ style: ParameterStyle) {
        switch style.nesting {
        case .brackets:
            name.append(UInt8(ascii: "["))
            name.append(contentsOf: key.utf8)
            name.append(UInt8(ascii: "]"))
        case .dots:
            name.append(UInt8(ascii: "."))
            name.append(contentsOf: key.utf8)
        case .custom(let closure): name.append(contentsOf: closure(key).utf8)
        }
    }

    private mutating func writeEmptyCollection(_ style: ParameterStyle) {
        if style.emptyCollections == .keyOnly { write("") }
    }

    private mutating func write(_ text: String) {
        sink.begin(name)
        sink.append(text)
    }
}

extension ParameterStyle {
    /// Returns the text of a null, or `nil` to leave it out.
    func nullText(isElement: Bool) -> String? {
        switch nulls {
        case .drop: isElement ? "" : nil
        case .empty: ""
        case .literal: "null"
        }
    }

    /// Returns the text of an element of an array that is joined by commas.
    fileprivate func joinedText(of element: ParameterNode) throws(ParameterError) -> String {
        switch element {
        case .array, .object: throw ParameterError("an array joined by commas holds only single values")
        case .null: nullText(isElement: true) ?? ""
        default: try text(of: element) ?? ""
        }
    }
}
