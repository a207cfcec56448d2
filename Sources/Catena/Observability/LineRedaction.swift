extension RedactionPass {
    /// A form (WHATWG URL §5): pairs of names and values, written as they are but for the values of secrets.
    mutating func form(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.endIndex
            output += pair(bytes[start..<end])
            if end < bytes.endIndex { output.append(UInt8(ascii: "&")) }
            start = end + 1
        }
        return output
    }

    private mutating func pair(_ pair: ArraySlice<UInt8>) -> [UInt8] {
        guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
            return nested(Self.decoded(pair)) == nil ? Array(pair) : Array(Redaction.mark.utf8)
        }
        let value = Self.decoded(pair[(equals + 1)...])
        // A value may be an address or an object with secrets of its own.
        if isSecret(Self.decoded(pair[..<equals])[...]) { note(value) } else if nested(value) == nil { return Array(pair) }
        return Array(pair[...equals]) + Redaction.mark.utf8
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return Array(bytes) }
        return Array(PercentDecoding.decode(String(decoding: bytes, as: UTF8.self), plusIsSpace: true).utf8)
    }

    /// Server-sent events: the data of each is a document, whose lines are written as they are unless a secret is in them.
    mutating func events(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        // The lines of the event that is read, and its data.
        var lines: [UInt8] = []
        var data: [UInt8] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D }
            let next = end.map { bytes[$0...].starts(with: "\r\n".utf8) ? $0 + 2 : $0 + 1 } ?? bytes.count
            let line = bytes[start..<(end ?? bytes.count)]
            let isData = line.starts(with: "data:".utf8)
            if isData {
                lines += bytes[start..<next]
                data += line.dropFirst(5).drop { $0 == 0x20 } + [0x0A]
            }
            if !isData || next == bytes.count {
                output += event(data.dropLast(), lines: lines, lineEnd: bytes[(end ?? bytes.count)..<next])
                (lines, data) = ([], [])
            }
            if !isData { output += (nested(Array(line)) ?? Array(line)) + bytes[(end ?? bytes.count)..<next] }
            start = next
        }
        return output
    }

    private mutating func event(_ data: ArraySlice<UInt8>, lines: [UInt8], lineEnd: ArraySlice<UInt8>) -> [UInt8] {
        guard let shown = nested(Array(data)) else { return lines }
        let lineEnd = lineEnd.isEmpty ? ArraySlice("\n".utf8) : lineEnd
        return shown.split(separator: 0x0A, omittingEmptySubsequences: false).flatMap { "data: ".utf8 + $0 + lineEnd }
    }
}
