import Foundation

/// The names that a Swift file defines and uses, found by its words alone. They are enough to see which folder depends on which.
struct SourceFile {
    /// The path below the folder of sources, such as `Catena/Running/Call/Call.swift`.
    let path: String
    /// The top-level names that it defines for other files.
    private(set) var defined: Set<String> = []
    /// The names that it uses and does not define itself, at any level.
    private(set) var used: Set<String> = []
    /// The members that it adds to types by extensions. The key is the member's name, the value is the type's.
    private(set) var added: [String: String] = [:]
    /// All names of members that it declares.
    private(set) var members: Set<String> = []
    /// The names with a dot before them.
    private(set) var accessed: Set<String> = []
    /// The names without a dot before them.
    private(set) var plain: Set<String> = []

    /// The layer: a folder of the library, a module that is a layer of its own, or "API.swift".
    var layer: String {
        let parts = path.split(separator: "/")
        if parts[0] != "Catena" { return String(parts[0]) }
        return parts.count == 2 ? "API.swift" : String(parts[1])
    }

    var name: String { String(path.split(separator: "/").last ?? "") }

    /// The folder of the file, such as `Catena/Running/Stages`.
    var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }

    private static let kinds: Set<String> = ["struct", "enum", "class", "actor", "protocol", "typealias", "func", "let", "var"]

    init(path: String, text: String) {
        self.path = path
        var scanner = SwiftWords(text)
        var own: Set<String> = []
        // Both are valid since the beginning of the current declaration.
        var isPrivate = false
        var extended: String?
        var former = SwiftWords.Word(text: "", depth: 0, follows: 0)
        while let word = scanner.next() {
            defer { former = word }
            if word.text == "private" || word.text == "fileprivate" { isPrivate = true }
            if word.follows == UInt8(ascii: ".") { accessed.insert(word.text) } else { plain.insert(word.text) }
            // The members of a conformance are not counted, because other files may use them through the protocol.
            if former.text == extended, word.depth == 0, word.follows == UInt8(ascii: ":") { extended = nil }
            let isDeclared = Self.kinds.contains(former.text) || former.text == "case" || former.text == "associatedtype"
            if isDeclared {
                if word.depth == 0 {
                    extended = nil
                    if !isPrivate { defined.insert(word.text) } else { own.insert(word.text) }
                } else {
                    own.insert(word.text)
                    if word.depth == 1 {
                        members.insert(word.text)
                        if let extended, !isPrivate { added[word.text] = extended }
                    }
                }
                isPrivate = false
            } else if former.text == "extension", word.depth == 0 {
                // The members of a private extension belong to its file alone.
                extended = isPrivate ? nil : word.text
                isPrivate = false
                used.insert(word.text)
            } else if word.follows == UInt8(ascii: "<"), former.text == "init" || own.union(defined).contains(former.text) {
                own.insert(word.text)
            } else if word.follows != UInt8(ascii: ".") {
                used.insert(word.text)
            }
        }
        used.subtract(own)
        used.subtract(defined)
    }

    /// Returns all files of the library and its products, except those of its documentation.
    static func library() throws -> [SourceFile] {
        let sources = URL.packageRoot.appending(path: "Sources")
        return try (["Catena", "CatenaPromise"] + Layer.products).flatMap { module in
            let folder = sources.appending(path: module)
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
            return try files.filter { $0.pathExtension == "swift" && !$0.path.contains(".docc/") }.map { file in
                let path = module + file.path.dropFirst(folder.path.count)
                return SourceFile(path: path, text: try String(contentsOf: file, encoding: .utf8))
            }
        }
    }
}

/// The words of Swift code, without comments and without the text of string literals. Interpolations are included.
struct SwiftWords {
    struct Word {
        let text: String
        /// The number of open braces.
        let depth: Int
        /// The last byte before the word that is not a space.
        let follows: UInt8
    }

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    private var former: UInt8 = 0
    /// The open parentheses of the interpolations around the position, with the delimiters of their literals.
    private var interpolations: [(parentheses: Int, quotes: Int, marks: Int)] = []

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func next() -> Word? {
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case _ where Self.isLetter(byte): return word()
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
                while position < bytes.count, bytes[position] != 0x0A { position += 1 }
                continue
            case UInt8(ascii: "\""):
                beginLiteral(marks: 0)
                continue
            case UInt8(ascii: "#"):
                var marks = 1
                while peek(marks) == UInt8(ascii: "#") { marks += 1 }
                if peek(marks) == UInt8(ascii: "\"") {
                    position += marks
                    beginLiteral(marks: marks)
                    continue
                }
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: "("): if !interpolations.isEmpty { interpolations[interpolations.count - 1].parentheses += 1 }
            case UInt8(ascii: ")"):
                if let around = interpolations.last {
                    if around.parentheses == 0 {
                        interpolations.removeLast()
                        position += 1
                        goOn(quotes: around.quotes, marks: around.marks)
                        continue
                    }
                    interpolations[interpolations.count - 1].parentheses -= 1
                }
            default: break
            }
            if byte > 0x20 { former = byte }
            position += 1
        }
        return nil
    }

    private mutating func word() -> Word {
        let start = position
        while position < bytes.count, Self.isLetter(bytes[position]) || (0x30...0x39).contains(bytes[position]) { position += 1 }
        defer { former = bytes[position - 1] }
        return Word(text: String(decoding: bytes[start..<position], as: UTF8.self), depth: depth, follows: former)
    }

    private mutating func beginLiteral(marks: Int) {
        let quotes = peek(1) == UInt8(ascii: "\"") && peek(2) == UInt8(ascii: "\"") ? 3 : 1
        position += quotes
        goOn(quotes: quotes, marks: marks)
    }

    /// Skips the literal up to its end, or up to an interpolation.
    private mutating func goOn(quotes: Int, marks: Int) {
        while position < bytes.count {
            let hasMarks = (0..<marks).allSatisfy { peek($0 + 1) == UInt8(ascii: "#") }
            if bytes[position] == UInt8(ascii: "\\"), hasMarks {
                position += marks + 1
                if position < bytes.count, bytes[position] == UInt8(ascii: "(") {
                    position += 1
                    interpolations.append((0, quotes, marks))
                    return
                }
            } else if (0..<quotes).allSatisfy({ peek($0) == UInt8(ascii: "\"") }),
                (0..<marks).allSatisfy({ peek(quotes + $0) == UInt8(ascii: "#") })
            {
                position += quotes + marks
                former = UInt8(ascii: "\"")
                return
            }
            position += 1
        }
    }

    private func peek(_ offset: Int) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_") || byte > 0x7F
    }
}
