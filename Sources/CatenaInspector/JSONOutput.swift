import Catena
import Foundation

/// Writes JSON incrementally. A general encoder would be too slow for the list of calls, whose changed rows are written up to ten times a second.
struct JSONOutput {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    var data: Data { Data(bytes) }

    mutating func object(_ content: (inout JSONOutput) -> Void) { nest("{", "}", content) }

    mutating func array<Elements: Sequence>(_ elements: Elements, _ write: (inout JSONOutput, Elements.Element) -> Void) {
        nest("[", "]") { output in
            for element in elements {
                output.separate()
                output.needsComma = false
                write(&output, element)
                output.needsComma = true
            }
        }
    }

    /// Writes the name of a member without escaping it. The caller writes the value next.
    mutating func key(_ name: StaticString) {
        separate()
        needsComma = false
        append("\"")
        append(name)
        append("\":")
    }

    /// Writes the name of a member. The caller writes the value next.
    mutating func key(text name: String) {
        separate()
        write(name)
        append(":")
        needsComma = false
    }

    mutating func member(_ name: StaticString, _ value: String?) {
        key(name)
        if let value { write(value) } else { append("null") }
        needsComma = true
    }

    mutating func member(_ name: StaticString, _ value: Int?) {
        key(name)
        if let value { bytes.append(contentsOf: value.description.utf8) } else { append("null") }
        needsComma = true
    }

    mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        append(value ? "true" : "false")
        needsComma = true
    }

    /// Writes milliseconds with microsecond precision.
    mutating func member(_ name: StaticString, milliseconds value: Double) {
        key(name)
        let thousandths = Int((value * 1000).rounded())
        // The quotient of a small negative number is 0, which has no sign.
        if thousandths < 0, thousandths > -1000 { append("-") }
        bytes.append(contentsOf: (thousandths / 1000).description.utf8)
        let rest = abs(thousandths % 1000)
        if rest != 0 {
            append(".")
            let digits = rest.description.utf8
            for _ in digits.count..<3 { append("0") }
            bytes.append(contentsOf: digits)
        }
        needsComma = true
    }

    mutating func number(_ value: Double) {
        bytes.append(contentsOf: value.description.utf8)
        needsComma = true
    }

    /// Writes a member whose value is complete JSON, or null.
    mutating func member(_ name: StaticString, json: Data?) {
        key(name)
        if let json { bytes.append(contentsOf: json) } else { append("null") }
        needsComma = true
    }

    /// Writes a value that was read from JSON, without members that are null.
    ///
    /// - Parameters:
    ///   - most: The number of bytes after which a text is cut.
    ///   - names: The members that are left out, at every depth.
    mutating func value(_ value: JSON, cut most: Int = .max, omitting names: Set<String> = []) {
        if let text = value.string {
            string(text.cut(to: most))
        } else if let elements = value.array {
            array(elements) { $0.value($1, cut: most, omitting: names) }
        } else if let object = value.object {
            self.object { output in
                for member in object.members where !member.value.isNull && !names.contains(member.key) {
                    output.key(text: member.key)
                    output.value(member.value, cut: most, omitting: names)
                }
            }
        } else {
            bytes.append(contentsOf: value.encoded)
            needsComma = true
        }
    }

    mutating func null() {
        append("null")
        needsComma = true
    }

    /// Writes an array of pairs of a name and a value. Names may repeat.
    mutating func pairs(_ pairs: [(String, String)]) {
        array(pairs) { output, pair in output.array([pair.0, pair.1]) { $0.string($1) } }
    }

    mutating func string(_ value: String) {
        write(value)
        needsComma = true
    }

    /// Writes a string. Most strings need no escaping, and are copied as a whole.
    private mutating func write(_ text: String) {
        var text = text
        let isPlain = text.withUTF8 { utf8 in
            guard !utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else { return false }
            bytes.append(0x22)
            bytes.append(contentsOf: utf8)
            bytes.append(0x22)
            return true
        }
        if !isPlain { JSONText.write(text, into: &bytes) }
    }

    private mutating func nest(_ opening: StaticString, _ closing: StaticString, _ content: (inout JSONOutput) -> Void) {
        separate()
        append(opening)
        needsComma = false
        content(&self)
        append(closing)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { append(",") }
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }
}
