import CatenaPlatform

extension RedactionPass {
    /// Redacts the values of secrets in XML, which includes property lists and HTML, and leaves the rest unchanged.
    mutating func xml(_ bytes: [UInt8]) -> [UInt8] {
        var reader = XMLRedaction(bytes)
        while reader.step(&self) {}
        guard reader.isBroken || !reader.hasElements else { return reader.output }
        // Foundation reads some property lists with broken tags. A recording hides such a list whole, because it could not be read afterwards.
        if keepsForm, Self.isPropertyList(bytes) { return Array(Redaction.mark.utf8) }
        // Broken tags cannot be told from values, so the rules for text, which need no tags, are applied too.
        return text(reader.output[...])
    }

    private static func isPropertyList(_ bytes: [UInt8]) -> Bool {
        (try? PropertyListCheck.check(Data(bytes))) != nil
    }
}

/// Reads XML and writes it again, tag by tag.
///
/// An element is secret by its name, by its attribute `name` or `key`, or by the element before it, such as `key` in property lists
/// and `name` in XML-RPC.
private struct XMLRedaction {
    private struct Element {
        let name: [UInt8]
        let isHidden: Bool
        /// Whether the next child is secret, because the child before it named a secret.
        var hidesNext = false
        /// The text of an element that names the next one.
        var namingText: [UInt8]?
    }

    private let bytes: [UInt8]
    private var position = 0
    private(set) var output: [UInt8] = []
    private var elements: [Element] = []
    /// Whether the document has an element, without which it is text.
    var hasElements: Bool { !open.isEmpty }
    /// The number of open elements by name, so that an end tag without a start tag needs no search.
    private var open: [[UInt8]: Int] = [:]
    /// Whether a tag is not closed, or begins inside another one.
    private(set) var isBroken = false
    /// Whether `<?` may still begin an instruction, so that a missing end is searched for only once.
    private var instructionsEnd = true
    /// Whether a mark has been written for the hidden text of the current element.
    private var isMarked = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        output.reserveCapacity(bytes.count)
    }

    /// Reads a tag or the text before it. Returns `false` at the end.
    mutating func step(_ pass: inout RedactionPass) -> Bool {
        guard position < bytes.count else { return false }
        let rest = bytes[position...]
        if rest.first != UInt8(ascii: "<") {
            let end = rest.firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
            writeText(rest[..<end], isEscaped: true, &pass)
            position = end
        } else if rest.starts(with: "<![CDATA[".utf8) {
            readSection("<![CDATA[", "]]>", isText: true, &pass)
        } else if rest.starts(with: "<!--".utf8) {
            readSection("<!--", "-->", isText: false, &pass)
        } else if isInstruction(rest) {
            readSection("<?", "?>", isText: false, &pass)
        } else if rest.dropFirst().first.map({ "?!".utf8.contains($0) }) == true {
            readDeclaration(&pass)
        } else if rest.dropFirst().first == UInt8(ascii: "/") {
            readEnd(&pass)
        } else if XMLName.beginsTag(rest.dropFirst()) {
            readBeginning(&pass)
        } else {
            // A `<` that begins no tag.
            let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
            writeText(rest[..<end], isEscaped: true, &pass)
            position = end
        }
        return true
    }

    private var isHidden: Bool { elements.last?.isHidden == true }

    /// Returns whether an instruction begins here (XML 1.0 §2.6). An instruction without an end is read as a declaration.
    private mutating func isInstruction(_ rest: ArraySlice<UInt8>) -> Bool {
        guard instructionsEnd, rest.starts(with: "<?".utf8) else { return false }
        guard let end = rest.dropFirst(2).firstIndex(ofBytes: Array("?>".utf8)) else {
            instructionsEnd = false
            return false
        }
        // HTML ends such an instruction at the first `>`, so that elements after it would be missed.
        guard rest[..<end].dropFirst().contains(UInt8(ascii: "<")) else { return true }
        isBroken = true
        instructionsEnd = false
        return false
    }

    /// Reads a section of text, a comment or an instruction.
    private mutating func readSection(_ start: String, _ end: String, isText: Bool, _ pass: inout RedactionPass) {
        let content = bytes[position...].dropFirst(start.utf8.count)
        let stop = content.firstIndex(ofBytes: Array(end.utf8)) ?? bytes.count
        position = min(stop + end.utf8.count, bytes.count)
        if isText, isHidden { return writeMark(for: Array(content[..<stop]), &pass) }
        output += start.utf8
        if isText {
            writeText(content[..<stop], isEscaped: false, &pass)
        } else if !isHidden {
            output += pass.nested(Array(content[..<stop])) ?? Array(content[..<stop])
        }
        output += bytes[stop..<position]
    }

    /// Reads a declaration, which ends before the next tag if it is not closed. Nested declarations are read one by one.
    private mutating func readDeclaration(_ pass: inout RedactionPass) {
        let content = bytes[(position + 1)...]
        let stop = content.firstIndex { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "<") } ?? bytes.count
        output.append(UInt8(ascii: "<"))
        if !isHidden { output += pass.nested(Array(content[..<stop])) ?? Array(content[..<stop]) }
        position = stop
        guard stop < bytes.count, bytes[stop] == UInt8(ascii: ">") else { return }
        output.append(bytes[stop])
        position += 1
    }

    private mutating func writeText(_ content: ArraySlice<UInt8>, isEscaped: Bool, _ pass: inout RedactionPass) {
        let text = isEscaped && content.contains(UInt8(ascii: "&")) ? XMLText.unescaped(content) : Array(content)
        if let element = elements.indices.last, let former = elements[element].namingText, former.count < 256 {
            elements[element].namingText = former + text
        }
        let isBlank = content.allSatisfy { $0 <= 0x20 }
        if isHidden {
            if isBlank { output += content } else { writeMark(for: text, &pass) }
        } else if !isBlank, let shown = pass.nested(text) {
            output += isEscaped ? XMLText.escaped(shown) : shown
        } else {
            output += content
        }
    }

    /// Writes one mark for all hidden text of an element.
    private mutating func writeMark(for text: [UInt8], _ pass: inout RedactionPass) {
        pass.note(text)
        if isMarked { return }
        isMarked = true
        // The mark must match the type that a property list's element stands for.
        let name = elements.last.map { String(decoding: $0.name, as: UTF8.self) } ?? ""
        switch name {
        case "integer" where pass.keepsForm, "real" where pass.keepsForm: output += "0".utf8
        case "data" where pass.keepsForm: output += "Kioq".utf8
        case "date" where pass.keepsForm: output += "2001-01-01T00:00:00Z".utf8
        default: output += Redaction.mark.utf8
        }
    }

    // MARK: Tags

    private mutating func readEnd(_ pass: inout RedactionPass) {
        let name = XMLName.local(of: bytes[(position + 2)...])
        let stop = bytes[(position + 1)...].firstIndex { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "<") } ?? bytes.count
        let isClosed = stop < bytes.count && bytes[stop] == UInt8(ascii: ">")
        if !isClosed { isBroken = true }
        let end = isClosed ? stop + 1 : stop
        // An end tag may contain more than its name, and secrets in that.
        output += pass.nested(Array(bytes[position..<end])) ?? Array(bytes[position..<end])
        position = end
        guard open[name, default: 0] > 0 else { return }
        while let element = elements.popLast() {
            open[element.name, default: 1] -= 1
            if element.name == name {
                endNaming(element, &pass)
                break
            }
        }
        isMarked = false
    }

    /// Marks the next element as secret if this one names a secret.
    private mutating func endNaming(_ element: Element, _ pass: inout RedactionPass) {
        guard let text = element.namingText, let parent = elements.indices.last else { return }
        elements[parent].hidesNext = pass.isSecret(text[...])
    }

    private mutating func readBeginning(_ pass: inout RedactionPass) {
        let tag = XMLTag(bytes, at: position)
        if tag.isBroken { isBroken = true }
        if tag.isOdd, tag.isBroken {
            // A value has taken in a quote or a tag that belongs to what follows. From here on names and values cannot be told apart.
            output += bytes[position..<tag.nameEnd] + Array(Redaction.mark.utf8)
            position = bytes.count
            return
        }
        let name = tag.name
        // In a property list, `key` is the element of names and no secret.
        let isKey = name.elementsEqual("key".utf8) && elements.last?.name.elementsEqual("dict".utf8) == true
        let isNamed = tag.attributes.contains { attribute in
            attribute.isNamed("name", "key", "id", "type") && pass.isSecret(tag.value(attribute)[...])
        }
        let isSecret = isNamed || !isKey && pass.isSecret(name[...]) || elements.last?.hidesNext == true && !isKey
        if let parent = elements.indices.last { elements[parent].hidesNext = false }
        let isInner = isHidden
        output += bytes[position..<tag.nameEnd]
        var written = tag.nameEnd
        for attribute in tag.attributes {
            let value = tag.value(attribute)
            let isValue = isNamed && attribute.isNamed("value", "content")
            let isHidden = isInner || isValue || pass.isSecret(attribute.name[...])
            let shown = isHidden && !value.isEmpty ? Array(Redaction.mark.utf8) : pass.nested(value)
            guard let shown else { continue }
            if isHidden { pass.note(value) }
            write(written..<attribute.value.lowerBound, of: tag, &pass)
            output += XMLText.escaped(shown)
            written = attribute.value.upperBound
        }
        write(written..<tag.end, of: tag, &pass)
        position = tag.end
        isMarked = false
        if tag.isEmpty || tag.isVoid { return }
        open[name, default: 0] += 1
        let isNaming = ["key", "name"].contains { XMLName.lowercased(name).elementsEqual($0.utf8) }
        elements.append(Element(name: name, isHidden: isInner && !(isKey && pass.keepsForm) || isSecret, namingText: isNaming ? [] : nil))
    }

    /// Writes the part of a tag between attribute values. This part is redacted as text if the tag is odd.
    private mutating func write(_ range: Range<Int>, of tag: XMLTag, _ pass: inout RedactionPass) {
        output += (tag.isOdd ? pass.nested(Array(bytes[range])) : nil) ?? Array(bytes[range])
    }
}
