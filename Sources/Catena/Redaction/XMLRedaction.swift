extension RedactionPass {
    /// XML, property lists and HTML among it, written as it is but for the values of secrets.
    mutating func xml(_ bytes: [UInt8]) -> [UInt8] {
        var reader = XMLRedaction(bytes)
        while reader.step(&self) {}
        // What is a tag and what is a value is a guess where tags are broken. The rules for text do not make it.
        return reader.isBroken ? text(reader.output[...]) : reader.output
    }
}

/// Reads XML and writes it down again, tag by tag.
///
/// An element is secret by its own name, by its attribute `name` or `key`, or by the element before it that names it, as `key` does
/// in property lists and `name` in XML-RPC.
private struct XMLRedaction {
    private struct Element {
        let name: [UInt8]
        let isHidden: Bool
        /// Whether the next element in it is secret, because the one before says so.
        var hidesNext = false
        /// What it has for text, if that is a name for the next element.
        var namingText: [UInt8]?
    }

    private let bytes: [UInt8]
    private var position = 0
    private(set) var output: [UInt8] = []
    private var elements: [Element] = []
    /// How often an element of a name is open, so that an end without a beginning costs nothing.
    private var open: [[UInt8]: Int] = [:]
    /// Whether a tag is not closed, or begins within another one.
    private(set) var isBroken = false
    /// Whether what begins here like an instruction may be one, so that its end is looked for in vain only once.
    private var instructionsEnd = true
    /// Whether there is a mark for what is hidden here already.
    private var isMarked = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        output.reserveCapacity(bytes.count)
    }

    /// Reads a tag or the text before it; false at the end.
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
            // No tag, though it looks like one.
            let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
            writeText(rest[..<end], isEscaped: true, &pass)
            position = end
        }
        return true
    }

    private var isHidden: Bool { elements.last?.isHidden == true }

    /// Whether an instruction stands here (XML 1.0 §2.6). One without its end is read as a declaration.
    private mutating func isInstruction(_ rest: ArraySlice<UInt8>) -> Bool {
        guard instructionsEnd, rest.starts(with: "<?".utf8) else { return false }
        guard let end = rest.dropFirst(2).firstIndex(ofBytes: Array("?>".utf8)) else {
            instructionsEnd = false
            return false
        }
        // HTML ends what begins so at the first `>`, and there may be elements behind it.
        guard rest[..<end].dropFirst().contains(UInt8(ascii: "<")) else { return true }
        isBroken = true
        instructionsEnd = false
        return false
    }

    /// Reads what stands between two marks: a section of text, a comment or an instruction.
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

    /// Reads a declaration, which ends before the next tag if it is not closed; those that are in another one are read like it.
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

    /// One mark for all the text of an element.
    private mutating func writeMark(for text: [UInt8], _ pass: inout RedactionPass) {
        pass.note(text)
        if isMarked { return }
        isMarked = true
        // A property list says by its elements what is in them.
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
        // A name is all that belongs there.
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

    /// Notes what an element has said of the next one.
    private mutating func endNaming(_ element: Element, _ pass: inout RedactionPass) {
        guard let text = element.namingText, let parent = elements.indices.last else { return }
        elements[parent].hidesNext = pass.isSecret(text[...])
    }

    private mutating func readBeginning(_ pass: inout RedactionPass) {
        let tag = XMLTag(bytes, at: position)
        if tag.isBroken { isBroken = true }
        let name = tag.name
        // In a property list `key` is what a name stands in, and not a secret of that name.
        let isKey = name.elementsEqual("key".utf8) && elements.last?.name.elementsEqual("dict".utf8) == true
        let isNamed = tag.attributes.contains { attribute in
            ["name", "key", "id", "type"].contains { attribute.name.elementsEqual($0.utf8) } && pass.isSecret(tag.value(attribute)[...])
        }
        let isSecret = isNamed || !isKey && pass.isSecret(name[...]) || elements.last?.hidesNext == true && !isKey
        if let parent = elements.indices.last { elements[parent].hidesNext = false }
        let isInner = isHidden
        output += bytes[position..<tag.nameEnd]
        var written = tag.nameEnd
        for attribute in tag.attributes {
            let value = tag.value(attribute)
            let isValue = isNamed && ["value", "content"].contains { attribute.name.elementsEqual($0.utf8) }
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

    /// Writes what is between the values of a tag, which is text if there is more than the names of attributes.
    private mutating func write(_ range: Range<Int>, of tag: XMLTag, _ pass: inout RedactionPass) {
        output += (tag.isOdd ? pass.nested(Array(bytes[range])) : nil) ?? Array(bytes[range])
    }
}
