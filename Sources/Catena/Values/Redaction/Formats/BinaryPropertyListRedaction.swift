import CatenaPlatform

extension RedactionPass {
    /// Overwrites the secrets of a binary property list in place, so that all offsets stay valid.
    ///
    /// Returns only a mark if the list is truncated, if its tables are inconsistent, or if a secret overlaps another object.
    mutating func binaryPropertyList(_ bytes: [UInt8]) -> [UInt8] {
        guard var list = RedactedPropertyList(bytes), let secrets = list.values(where: { isSecret($0[...]) }),
            let texts = list.texts(where: { nested($0) != nil })
        else {
            return Array(Redaction.mark.utf8)
        }
        if secrets.isEmpty, texts.isEmpty { return bytes }
        for value in secrets { note(list.hide(value) ?? []) }
        // `nested` has noted the secrets in these.
        for text in texts { _ = list.hide(text) }
        guard (try? PropertyListCheck.check(Data(list.bytes))) != nil else { return Array(Redaction.mark.utf8) }
        return list.bytes
    }
}

/// Reads the objects of a binary property list through its offset table, one after the other, so that reference cycles do no harm.
private struct RedactedPropertyList {
    private(set) var bytes: [UInt8]
    private let offsets: [Int]
    private let referenceSize: Int

    private static let trailerLength = 32

    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        let end = bytes.count - Self.trailerLength
        guard end >= 8 else { return nil }
        func number(_ start: Int, _ size: Int) -> Int? { BinaryPropertyList.number(bytes, at: start, size: size) }
        let offsetSize = Int(bytes[end + 6])
        referenceSize = Int(bytes[end + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), let count = number(end + 8, 8),
            let table = number(end + 24, 8),
            table <= end, count <= (end - table) / offsetSize
        else { return nil }
        offsets = (0..<count).compactMap { number(table + $0 * offsetSize, offsetSize) }.map { $0 < table ? $0 : table }
        guard offsets.count == count, offsets.allSatisfy({ $0 < table }) else { return nil }
    }

    /// Returns the kind of an object, the start of its content and the number of elements.
    private func object(_ index: Int) -> (kind: UInt8, start: Int, count: Int)? {
        guard offsets.indices.contains(index) else { return nil }
        let place = offsets[index]
        let (kind, low) = (bytes[place] >> 4, Int(bytes[place] & 0x0F))
        guard low == 0x0F, kind > 3 else { return (kind, place + 1, low) }
        // A count of 15 or more is stored as a number object.
        guard place + 1 < bytes.count, bytes[place + 1] >> 4 == 1, bytes[place + 1] & 0x0F <= 3 else { return nil }
        let size = 1 << Int(bytes[place + 1] & 0x0F)
        return BinaryPropertyList.number(bytes, at: place + 2, size: size).map { (kind, place + 2 + size, $0) }
    }

    private func references(_ start: Int, _ count: Int) -> [Int] {
        guard count <= (bytes.count - start) / referenceSize else { return [] }
        return (0..<count).compactMap { BinaryPropertyList.number(bytes, at: start + $0 * referenceSize, size: referenceSize) }
    }

    /// Returns a string in UTF-8, or `nil` for other objects.
    private func text(_ index: Int) -> [UInt8]? {
        guard let object = object(index) else { return nil }
        switch object.kind {
        case 5 where object.count <= bytes.count - object.start, 7 where object.count <= bytes.count - object.start:
            return Array(bytes[object.start..<object.start + object.count])
        case 6 where object.count <= (bytes.count - object.start) / 2:
            let units = (0..<object.count).map { UInt16(bytes[object.start + 2 * $0]) << 8 | UInt16(bytes[object.start + 2 * $0 + 1]) }
            return Array(String(decoding: units, as: UTF16.self).utf8)
        default: return nil
        }
    }

    /// Returns the values of secrets' names with all objects in them. Returns `nil` for a list with more references than its size allows, because
    /// overlapping objects could repeat content without limit.
    func values(where isSecret: ([UInt8]) -> Bool) -> [Int]? {
        var room = bytes.count
        var found = Set<Int>()
        var waiting: [Int] = []
        for index in offsets.indices {
            guard let object = object(index), object.kind == 0x0D else { continue }
            let references = references(object.start, 2 * object.count)
            guard references.count == 2 * object.count else { continue }
            room -= references.count
            guard room >= 0 else { return nil }
            for (key, value) in zip(references, references.dropFirst(object.count)) {
                guard let name = text(key) else { continue }
                // Counts only a part of each name, because many dictionaries may share a name.
                room -= name.count / 16
                if isSecret(name) { waiting.append(value) }
            }
        }
        room = bytes.count
        while let index = waiting.popLast() {
            guard found.insert(index).inserted, let object = object(index) else { continue }
            if object.kind >= 0x0A { room -= object.count }
            guard room >= 0 else { return nil }
            switch object.kind {
            case 0x0A, 0x0C: waiting += references(object.start, object.count)
            case 0x0D: waiting += references(object.start, 2 * object.count).suffix(object.count)
            default: break
            }
        }
        return Array(found)
    }

    /// Returns the strings and data that contain a secret, such as an address or a document. Returns `nil` if all strings and data are longer
    /// than the list, because overlapping objects could repeat content without limit.
    func texts(where containsSecret: ([UInt8]) -> Bool) -> [Int]? {
        var room = bytes.count
        var found: [Int] = []
        for index in offsets.indices {
            guard let content = text(index) ?? data(index) else { continue }
            // A UTF-16 string becomes at most three bytes for two of the list.
            room -= content.count / 2
            guard room >= 0 else { return nil }
            if containsSecret(content) { found.append(index) }
        }
        return found
    }

    private func data(_ index: Int) -> [UInt8]? {
        guard let object = object(index), object.kind == 4, object.count <= bytes.count - object.start else { return nil }
        return Array(bytes[object.start..<object.start + object.count])
    }

    /// Overwrites a value and returns its former text.
    mutating func hide(_ index: Int) -> [UInt8]? {
        guard let object = object(index) else { return nil }
        let length: Int
        switch object.kind {
        case 1, 2: length = 1 << min(object.count, 4)
        case 4, 5, 7: length = object.count
        case 6: length = 2 * min(object.count, bytes.count)
        // A date becomes the date of zero. Booleans stay, because they tell no secret.
        case 3: length = 8
        default: return nil
        }
        let range = object.start..<min(object.start + min(length, bytes.count), bytes.count)
        let former = text(index)
        for place in range {
            bytes[place] = object.kind <= 3 ? 0 : object.kind == 6 && (place - object.start).isMultiple(of: 2) ? 0 : UInt8(ascii: "*")
        }
        return former
    }
}
