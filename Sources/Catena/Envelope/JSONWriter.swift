extension JSON: TextOutputStreamable {
    /// Writes compact JSON, members in their order and numbers as they were read.
    public func write<Target: TextOutputStream>(to target: inout Target) {
        var bytes: [UInt8] = []
        write(into: &bytes)
        target.write(String(decoding: bytes, as: UTF8.self))
    }

    /// Appends compact JSON in UTF-8.
    func write(into bytes: inout [UInt8]) {
        // A loop, since calls that nest as deep as the value can outgrow the stack of a thread.
        var containers = [Container]()
        var next: JSON? = self
        while let value = next {
            value.writeBeginning(into: &bytes)
            switch value.storage {
            case .array, .object: containers.append(Container(value: value))
            default: break
            }
            next = nil
            while next == nil, let innermost = containers.indices.last {
                next = containers[innermost].next(into: &bytes)
                if next == nil { containers.removeLast() }
            }
        }
    }

    /// An array or object that is being written.
    private struct Container {
        let value: JSON
        var place = 0

        /// The value to write next, with what comes before it written; nil once the closing bracket is.
        mutating func next(into bytes: inout [UInt8]) -> JSON? {
            defer { place += 1 }
            switch value.storage {
            case .array(let elements) where place < elements.count:
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                return elements[place]
            case .object(let object) where place < object.members.count:
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                JSON.write(object.members[place].key, into: &bytes)
                bytes.append(UInt8(ascii: ":"))
                return object.members[place].value
            case .array: bytes.append(UInt8(ascii: "]"))
            default: bytes.append(UInt8(ascii: "}"))
            }
            return nil
        }
    }

    /// Appends a scalar, or the opening bracket.
    private func writeBeginning(into bytes: inout [UInt8]) {
        switch storage {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: value.description.utf8)
        case .unsigned(let value): bytes.append(contentsOf: value.description.utf8)
        case .number(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text): Self.write(text, into: &bytes)
        case .array: bytes.append(UInt8(ascii: "["))
        case .object: bytes.append(UInt8(ascii: "{"))
        }
    }

    /// Appends a string, escaping only what RFC 8259 §7 demands.
    static func write(_ text: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
            case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
            case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
            case 0x0C: bytes.append(contentsOf: #"\f"#.utf8)
            case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
            case 0..<0x20: bytes.append(contentsOf: ((byte < 0x10 ? #"\u000"# : #"\u00"#) + String(byte, radix: 16)).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
