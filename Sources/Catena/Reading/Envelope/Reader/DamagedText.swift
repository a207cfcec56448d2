import CatenaPlatform

/// The text of a body that is not JSON, from which the members before the damage can be read.
struct DamagedText {
    let text: Data
    let fault: JSONSyntaxError

    /// The texts that may be JSON, the most complete one first.
    var attempts: some Sequence<Data> {
        let attempts: [() -> Data?] = [
            // Damage in a part that is skipped does not matter.
            { text },
            // A backend may send its message in an encoding that it does not declare.
            {
                fault.reason == JSONFault.Reason.encoding.rawValue ? Data(String(decoding: text, as: UTF8.self).utf8) : nil
            },
            // Bytes may follow the document.
            { start },
            { start + Data("}".utf8) },
            { lastComma.map { text.prefix($0) + Data("}".utf8) } },
        ]
        return attempts.lazy.compactMap { $0() }
    }

    private var start: Data { Data(text.prefix(fault.offset)) }

    /// The offset of the last comma between members of the outermost object before the fault.
    private var lastComma: Int? {
        var (depth, isInString, isEscaped) = (0, false, false)
        var found: Int?
        for (offset, byte) in start.enumerated() {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isInString
            case UInt8(ascii: "\""): isInString.toggle()
            case _ where isInString: break
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ",") where depth == 1: found = offset
            default: break
            }
        }
        return found
    }
}
