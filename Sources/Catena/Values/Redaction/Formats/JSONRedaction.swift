extension RedactionPass {
    /// Redacts the values of secrets in JSON, or in several JSON documents in a row, and leaves the rest unchanged.
    mutating func json(_ bytes: [UInt8]) -> [UInt8] {
        let (shown, textStart, stop) = readJSON(bytes, from: 0, tracksPlaces: places != nil && isOutermost)
        guard stop < bytes.count else { return shown }
        // After a malformed token, places are unknown. Objects and arrays are still read, because the rules for text do not match a member
        // `name` with its `value`.
        let beginning = shown[..<textStart]
        var rest = Array(shown[textStart...])
        rest.reserveCapacity(rest.count + bytes.count - stop)
        var position = stop
        while position < bytes.count {
            let next = bytes[position...].firstIndex { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") } ?? bytes.count
            rest += bytes[position..<next]
            let part = readJSON(bytes, from: next, tracksPlaces: false)
            rest += part.shown
            position = part.end
        }
        return beginning + text(rest[...], behind: beginning)
    }

    /// Redacts JSON up to its end or to a malformed token. Behind such a token, `textStart` is the index in `shown` from which the rules for text apply.
    private mutating func readJSON(
        _ bytes: [UInt8], from start: Int, tracksPlaces: Bool
    ) -> (shown: [UInt8], textStart: Int, end: Int) {
        var reader = JSONRedaction(bytes, from: start, tracksPlaces: tracksPlaces)
        while reader.step(&self) {}
        // A member that names a secret may follow the secret's value, so such values are hidden in a second pass.
        let late = reader.lateSecrets
        if !late.isEmpty {
            reader = JSONRedaction(bytes, from: start, tracksPlaces: tracksPlaces, secretValues: late)
            while reader.step(&self) {}
        }
        return (reader.output, reader.textStart, reader.position)
    }
}

/// Reads JSON and writes it again, token by token. Stops at a token that is not valid JSON there.
private struct JSONRedaction {
    private struct Container {
        let isObject: Bool
        /// Whether the whole content is secret.
        let isHidden: Bool
        var element = 0
        /// Whether one member marks the value of another as secret: `{"name": "token", "value": …}`.
        var namesSecret = false
        /// The positions of the values that such a member may mark.
        var values: [Int] = []
    }

    private enum Awaited {
        case value, key, colon, end
    }

    private let bytes: [UInt8]
    private let tracksPlaces: Bool
    /// The positions of values that a later member marks as secret.
    private let secretValues: Set<Int>
    private var foundSecrets: Set<Int> = []
    private(set) var position: Int
    private(set) var output: [UInt8] = []
    private var containers: [Container] = []
    private var path: [String] = []
    private var awaited = Awaited.value
    /// Whether the value of the current member is secret.
    private var isSecretMember = false
    /// Whether the current member may mark another one as secret, or may be marked.
    private var isNamingMember = false
    private var isNamedMember = false
    /// The positions of the current member's key in the bytes and in the output.
    private var key: (start: Int, output: Int)?
    /// The position in the output of the string that was read last, or of its key, until another token follows.
    private var lastString: Int?

    init(_ bytes: [UInt8], from start: Int, tracksPlaces: Bool, secretValues: Set<Int> = []) {
        self.bytes = bytes
        self.secretValues = secretValues
        self.tracksPlaces = tracksPlaces
        position = start
        // A malformed document is read in many parts, and a reservation for each would take quadratic time.
        if start == 0 { output.reserveCapacity(bytes.count) }
    }

    /// The position in the output from which the rules for text apply. They need a string right before the malformed token, because one of its quotes may
    /// belong to other text, such as `<a token="…">`.
    var textStart: Int { lastString ?? output.count }

    /// The positions of values that were found to be secret after they had been written.
    var lateSecrets: Set<Int> {
        containers.reduce(into: foundSecrets) { if $1.namesSecret { $0.formUnion($1.values) } }
    }

    /// Reads a token. Returns `false` at the end or at a token that is not valid there.
    mutating func step(_ pass: inout RedactionPass) -> Bool {
        while position < bytes.count, bytes[position] <= 0x20 || isByteOrderMark { copy(1) }
        guard position < bytes.count else { return false }
        let byte = bytes[position]
        switch (awaited, byte) {
        case (.key, UInt8(ascii: "\"")): readKey(&pass)
        case (.colon, UInt8(ascii: ":")):
            copy(1)
            awaited = .value
        case (.key, UInt8(ascii: "}")), (.end, UInt8(ascii: "}")), (.end, UInt8(ascii: "]")), (.value, UInt8(ascii: "]")):
            return close(byte)
        case (.end, UInt8(ascii: ",")):
            guard let container = containers.last else { return false }
            copy(1)
            lastString = nil
            awaited = container.isObject ? .key : .value
        case (.value, _): return readValue(&pass)
        case (.end, _) where containers.isEmpty:
            awaited = .value
        default: return stop()
        }
        return true
    }

    /// Ends the reading, and leaves an unfinished member to the rules for text, which need its key.
    private mutating func stop() -> Bool {
        if let key {
            position = key.start
            output.removeSubrange(key.output...)
        }
        if containers.last?.isHidden == true {
            output += Redaction.mark.utf8
            position = bytes.count
        }
        return false
    }

    private var isByteOrderMark: Bool { position < 3 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) }

    private mutating func copy(_ count: Int) {
        output += bytes[position..<position + count]
        position += count
    }

    // MARK: Keys

    private mutating func readKey(_ pass: inout RedactionPass) {
        let start = position
        let outputStart = output.count
        let content = skipString()
        writeShown(content, in: start..<position, &pass)
        let name = content.contains(UInt8(ascii: "\\")) ? JSONText.unescaped(content) : Array(content)
        let plain = XMLName.lowercased(name)
        isNamedMember = plain.elementsEqual("value".utf8)
        isSecretMember = isSecret(name[...], &pass) || isNamedMember && containers.last?.namesSecret == true
        isNamingMember = plain.elementsEqual("name".utf8) || plain.elementsEqual("key".utf8)
        if tracksPlaces {
            path.append(String(decoding: name, as: UTF8.self))
            isSecretMember = isSecretMember || pass.places?(path) == true
        }
        key = (start, outputStart)
        awaited = .colon
    }

    /// Returns whether a name is secret. If places are tracked, a secret place hides only the member that is there.
    private func isSecret(_ name: ArraySlice<UInt8>, _ pass: inout RedactionPass) -> Bool {
        tracksPlaces ? pass.isSecret(placed: name) : pass.isSecret(name)
    }

    // MARK: Values

    private mutating func readValue(_ pass: inout RedactionPass) -> Bool {
        beginElement(pass)
        if isNamedMember, !isSecretMember, let container = containers.indices.last {
            if secretValues.contains(position) { isSecretMember = true } else { containers[container].values.append(position) }
        }
        isNamedMember = false
        let isHidden = containers.last?.isHidden == true || isSecretMember
        let byte = bytes[position]
        noteName(&pass)
        if isHidden, !pass.keepsForm {
            hideWhole()
            endValue()
            return true
        }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            copy(1)
            lastString = nil
            let isObject = byte == UInt8(ascii: "{")
            containers.append(Container(isObject: isObject, isHidden: isHidden))
            (isSecretMember, key) = (false, nil)
            awaited = isObject ? .key : .value
            return true
        case UInt8(ascii: "\""):
            lastString = key?.output ?? output.count
            writeString(isHidden: isHidden, &pass)
        default:
            let end = bytes[position...].firstIndex { !Self.isScalarByte($0) } ?? bytes.count
            let scalar = bytes[position..<end]
            guard Self.isScalar(scalar, isCut: end == bytes.count) else {
                guard isHidden else { return stop() }
                hideWhole()
                break
            }
            lastString = nil
            // Literals such as `true` or `null` stay, but a number might be a secret.
            let isNumber = scalar.first.map { $0 < UInt8(ascii: "A") } ?? false
            output += isHidden && isNumber ? Array("0".utf8)[...] : scalar
            position = end
        }
        endValue()
        return true
    }

    /// Notes whether a `name` or `key` member contains the name of a secret.
    private mutating func noteName(_ pass: inout RedactionPass) {
        guard isNamingMember, let container = containers.indices.last, containers[container].isObject else { return }
        isNamingMember = false
        guard bytes[position] == UInt8(ascii: "\"") else { return }
        // Long enough for a name of 64 characters that are all escaped.
        let name = bytes[(position + 1)...].prefix(6 * 64).prefix { $0 != UInt8(ascii: "\"") }
        if isSecret(JSONText.unescaped(name).prefix(64), &pass) { containers[container].namesSecret = true }
    }

    private mutating func beginElement(_ pass: RedactionPass) {
        guard tracksPlaces, let container = containers.indices.last, !containers[container].isObject else { return }
        path.append(String(containers[container].element))
        containers[container].element += 1
        isSecretMember = pass.places?(path) == true
    }

    private mutating func endValue() {
        (isSecretMember, key) = (false, nil)
        awaited = .end
        if tracksPlaces, !path.isEmpty { path.removeLast() }
    }

    private mutating func close(_ byte: UInt8) -> Bool {
        guard let container = containers.last, container.isObject == (byte == UInt8(ascii: "}")) else { return stop() }
        copy(1)
        lastString = nil
        if container.namesSecret { foundSecrets.formUnion(container.values) }
        containers.removeLast()
        endValue()
        return true
    }

    /// Replaces a value of any kind with a mark, wherever the value ends. `null` stays.
    private mutating func hideWhole() {
        let start = position
        var depth = 0
        scan: while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""): _ = skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { break scan }
                depth -= 1
                position += 1
            case UInt8(ascii: ","), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if depth == 0 { break scan }
                position += 1
            default: position += 1
            }
        }
        // White space behind the value is not part of it.
        while position > start, bytes[position - 1] <= 0x20 { position -= 1 }
        let isNull = bytes[start..<position].elementsEqual("null".utf8)
        output += isNull ? Array("null".utf8) : Array("\"\(Redaction.mark)\"".utf8)
    }

    private mutating func writeString(isHidden: Bool, _ pass: inout RedactionPass) {
        let start = position
        let content = skipString()
        if isHidden {
            pass.note(JSONText.unescaped(content))
            output += "\"\(Redaction.mark)\"".utf8
        } else {
            writeShown(content, in: start..<position, &pass)
        }
    }

    /// Writes a string without the secrets in it. A key may contain some too, because it may be an address.
    private mutating func writeShown(_ content: ArraySlice<UInt8>, in whole: Range<Int>, _ pass: inout RedactionPass) {
        if pass.patterns.isEmpty, !RedactionPass.mayTell(content) {
            output += bytes[whole]
        } else if let shown = pass.nested(content.contains(UInt8(ascii: "\\")) ? JSONText.unescaped(content) : Array(content)) {
            JSONText.write(String(decoding: shown, as: UTF8.self), into: &output)
        } else {
            output += bytes[whole]
        }
    }

    /// Skips a string and returns its content, which is the rest of the bytes if the string does not end.
    private mutating func skipString() -> ArraySlice<UInt8> {
        let start = position + 1
        position = start
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        let end = min(position, bytes.count)
        position = min(end + 1, bytes.count)
        return bytes[start..<max(end, start)]
    }

    private static func isScalarByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "+-.".utf8.contains(byte)
        }
    }

    private static func isScalar(_ scalar: ArraySlice<UInt8>, isCut: Bool) -> Bool {
        guard let first = scalar.first else { return false }
        // Only an exponent has letters. Other text that begins like a number may contain a JWT.
        if first < UInt8(ascii: "A"), scalar.allSatisfy({ $0 < UInt8(ascii: "A") || $0 | 0x20 == UInt8(ascii: "e") }) { return true }
        let word = first == UInt8(ascii: "-") ? scalar.dropFirst() : scalar
        let literals = ["true", "false", "null", "NaN", "Infinity"].map(\.utf8)
        return literals.contains { word.elementsEqual($0) || isCut && $0.starts(with: word) }
    }
}
