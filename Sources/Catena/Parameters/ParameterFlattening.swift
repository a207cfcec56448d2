/// Receives the name and value pairs into which parameters are flattened.
protocol ParameterSink {
    /// Starts a pair.
    mutating func begin(_ name: [UInt8])
    /// Adds text to the value of the pair that was started last.
    mutating func append(_ text: String)
    /// Adds a comma that stands between elements and is not part of one.
    mutating func appendSeparator()
}

/// The one way from nested parameters to name and value pairs.
///
/// The name of the value at hand is kept in one buffer that grows and shrinks on the way through the tree, so that the work is
/// proportional to what is written.
struct ParameterFlattening<Sink: ParameterSink> {
    private let style: ParameterStyle
    private(set) var sink: Sink
    private var name: [UInt8] = []

    init(into sink: Sink, style: ParameterStyle) {
        self.sink = sink
        self.style = style
        name.reserveCapacity(64)
    }

    mutating func flatten(_ params: Params) throws(ParameterError) {
        try flatten(params, depth: 0)
    }

    private mutating func flatten(_ object: Params, depth: Int) throws(ParameterError) {
        try ParameterError.checkDepth(depth)
        let parent = name.count
        for member in style.members(of: object) {
            if depth == 0 { name.append(contentsOf: member.key.utf8) } else { appendNested(member.key) }
            do throws(ParameterError) {
                try flatten(member.node, isElement: false, depth: depth)
            } catch {
                throw error.inside(member.key)
            }
            name.removeLast(name.count - parent)
        }
    }

    private mutating func flatten(_ node: ParameterNode, isElement: Bool, depth: Int) throws(ParameterError) {
        switch node {
        case .object(let object) where object.isEmpty: writeEmptyCollection()
        case .array(let elements) where elements.isEmpty: writeEmptyCollection()
        case .object(let object): try flatten(object, depth: depth + 1)
        case .array(let elements): try flatten(elements, depth: depth + 1)
        case .null:
            guard let text = style.nullText(isElement: isElement) else { return }
            write(text)
        default:
            if let text = try style.text(of: node) { write(text) }
        }
    }

    private mutating func flatten(_ elements: [ParameterNode], depth: Int) throws(ParameterError) {
        try ParameterError.checkDepth(depth)
        switch style.arrays {
        case .comma: return try join(elements) { sink in sink.append(",") }
        case .bareComma: return try join(elements) { sink in sink.appendSeparator() }
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
                try flatten(element, isElement: true, depth: depth)
            } catch {
                throw error.inside(index)
            }
            if case .custom = style.arrays { name = array } else { name.removeLast(name.count - array.count) }
        }
    }

    private mutating func join(_ elements: [ParameterNode], separate: (inout Sink) -> Void) throws(ParameterError) {
        sink.begin(name)
        for (index, element) in elements.enumerated() {
            if index > 0 { separate(&sink) }
            do throws(ParameterError) {
                sink.append(try joinedText(of: element))
            } catch {
                throw error.inside(index)
            }
        }
    }

    private func joinedText(of element: ParameterNode) throws(ParameterError) -> String {
        switch element {
        case .array, .object: throw ParameterError("an array joined by commas holds only single values")
        case .null: style.nullText(isElement: true) ?? ""
        default: try style.text(of: element) ?? ""
        }
    }

    private mutating func appendNested(_ key: String) {
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

    private mutating func writeEmptyCollection() {
        if style.emptyCollections == .keyOnly { write("") }
    }

    private mutating func write(_ text: String) {
        sink.begin(name)
        sink.append(text)
    }
}

extension ParameterStyle {
    /// The text of a null, or `nil` to leave it out.
    func nullText(isElement: Bool) -> String? {
        switch nulls {
        case .drop: isElement ? "" : nil
        case .empty: ""
        case .literal: "null"
        }
    }
}
