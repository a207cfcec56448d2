/// Writes values as JSON text: compact for programs, or on several lines and without secrets for people.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    /// The redaction of the readable form, or nil for the compact form, which hides nothing.
    private let redaction: Redaction?

    init(hiding redaction: Redaction? = nil) {
        self.redaction = redaction
    }

    mutating func write(_ value: JSON) {
        // A loop, because recursion over deeply nested values could overflow a thread's stack.
        var containers: [Container] = []
        var next: JSON? = value
        while let value = next {
            begin(value)
            if let container = Container(value) { containers.append(container) }
            next = nil
            while next == nil, let innermost = containers.indices.last {
                next = goOn(in: &containers[innermost], depth: containers.count)
                if next == nil { containers.removeLast() }
            }
        }
    }

    /// An array or object in progress.
    private struct Container {
        let storage: JSON.Storage
        let count: Int
        var place = 0

        init?(_ value: JSON) {
            switch value.storage {
            case .array(let elements): count = elements.count
            case .object(let object): count = object.members.count
            default: return nil
            }
            storage = value.storage
        }
    }

    /// Writes the text before the next value and returns that value. Returns nil after the closing bracket.
    private mutating func goOn(in container: inout Container, depth: Int) -> JSON? {
        let place = container.place
        container.place += 1
        if place > 0, place < container.count { append(",") }
        if container.count > 0 { breakLine(depth: place < container.count ? depth : depth - 1) }
        switch container.storage {
        case .array(let elements) where place < elements.count: return elements[place]
        case .object(let object) where place < object.members.count:
            let member = object.members[place]
            write(redaction?.redact(text: member.key) ?? member.key)
            append(redaction == nil ? ":" : ": ")
            let isSecret = redaction.map { $0.isSecret(name: member.key) || object.namesSecret(of: member, by: $0) } ?? false
            return isSecret && !member.value.isNull ? JSON(.string(Redaction.mark)) : member.value
        case .array: append("]")
        default: append("}")
        }
        return nil
    }

    /// Writes a scalar or an opening bracket.
    private mutating func begin(_ value: JSON) {
        switch value.storage {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .integer(let value): bytes.append(contentsOf: value.description.utf8)
        case .unsigned(let value): bytes.append(contentsOf: value.description.utf8)
        case .number(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text): write(redaction?.redact(text: text) ?? text)
        case .array: append("[")
        case .object: append("{")
        }
    }

    /// The maximum indentation, so that the size of the text does not grow with the square of the depth.
    private static let deepestIndent = 32

    private mutating func breakLine(depth: Int) {
        guard redaction != nil else { return }
        append("\n")
        for _ in 0..<min(depth, Self.deepestIndent) { append("  ") }
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func write(_ text: String) {
        JSONText.write(text, into: &bytes)
    }
}

extension JSONObject {
    /// Whether another member names this one as a secret: `{"name": "token", "value": …}`.
    fileprivate func namesSecret(of member: Member, by redaction: Redaction) -> Bool {
        guard member.key.utf8.count == 5, member.key.lowercased() == "value" else { return false }
        return members.contains { other in
            guard other.key.utf8.count <= 4, ["name", "key"].contains(other.key.lowercased()), let name = other.value.string else {
                return false
            }
            return redaction.isSecret(name: name)
        }
    }
}

extension JSON.Storage: CustomStringConvertible, CustomReflectable {
    package var description: String { "\(JSON(self))" }
    /// An empty mirror, so that `dump` and debuggers show only the description.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension JSONObject: CustomStringConvertible, CustomReflectable {
    /// A readable description of the members, without secrets.
    public var description: String { "\(JSON(.object(self)))" }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension JSON: TextOutputStreamable {
    /// Writes a readable description: on several lines, with members in order, original numbers, and `***` in place of secrets. Use `JSONEncoder` for
    /// JSON to send or store.
    public func write<Target: TextOutputStream>(to target: inout Target) {
        var writer = JSONWriter(hiding: .current)
        writer.write(self)
        target.write(String(decoding: writer.bytes, as: UTF8.self))
    }
}
