import CScan
import Foundation
import Testing

@testable import Catena

/// Documents are scanned with the vector instructions of the machine, without them, and by `JSONScanner` alone.
@Suite("JSON, by vector instructions", .limitedParallelism)
struct JSONInstructionTests {
    typealias Generator = JSONFuzzTests.Generator

    /// Memory whose neighbours cannot be read, so that a read outside of a document ends the process.
    private final class Room {
        static let size = 64 * 1024
        private static let margin = 64 * 1024
        private let start: UnsafeMutableRawPointer

        init() throws {
            let length = Self.size + 2 * Self.margin
            let mapping = mmap(nil, length, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0)
            start = try #require(mapping == MAP_FAILED ? nil : mapping)
            try #require(mprotect(start + Self.margin, Self.size, PROT_READ | PROT_WRITE) == 0)
        }

        deinit { munmap(start, Self.size + 2 * Self.margin) }

        /// Copies bytes to the start or to the end of the memory.
        func place(_ bytes: [UInt8], atEnd: Bool) -> UnsafePointer<UInt8> {
            let place = start + Self.margin + (atEnd ? Self.size - bytes.count : 0)
            place.copyMemory(from: bytes, byteCount: bytes.count)
            return UnsafePointer(place.assumingMemoryBound(to: UInt8.self))
        }
    }

    /// Returns the offset of the first byte that ends plain text, one character at a time.
    private static func textEnd(_ bytes: [UInt8]) -> Int {
        var offset = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { return offset }
            let length = (1...4).first { length in
                offset + length <= bytes.count
                    && String(validating: bytes[offset..<offset + length], as: UTF8.self)?.unicodeScalars.count == 1
            }
            guard let length else { return offset }
            offset += length
        }
        return offset
    }

    private static let characters = [
        "a", "abcdefgh", " ", "\u{7F}", "\u{80}", "é", "\u{7FF}", "\u{800}", "日", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "😀",
        "\u{10FFFF}",
    ].map { Array($0.utf8) }

    /// Bytes at the edges of the ranges of UTF-8.
    private static let edges: [UInt8] = [
        0, 0x1F, 0x22, 0x5C, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF,
    ]

    @Test("text ends where it ends character by character, with and without vector instructions", arguments: 0..<4)
    func text(seed: UInt64) throws {
        let room = try Room()
        var random = Generator(state: seed &* 7 &+ 1)
        var endings = Set<Int>()
        for _ in 0..<3000 {
            var bytes = (0..<Int.random(in: 0...30, using: &random)).flatMap { _ in Self.characters.randomElement(using: &random) ?? [] }
            if Bool.random(using: &random), !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = Self.edges.randomElement(using: &random) ?? 0
            }
            let wanted = Self.textEnd(bytes)
            endings.insert(bytes.count - wanted)
            for atEnd in [false, true] {
                let start = room.place(bytes, atEnd: atEnd)
                #expect(catena_scan_text(start, 0, bytes.count) == wanted, "\(bytes)")
                #expect(catena_scan_text_portably(start, 0, bytes.count) == wanted, "\(bytes)")
            }
        }
        // Texts end early and at their ends.
        #expect(endings.count > 20)
    }

    private static func fields(_ entries: some Sequence<ScannedEntry>) -> [[UInt32]] {
        entries.map { [UInt32($0.rawKind), $0.start, $0.length, $0.next, $0.detail] }
    }

    /// Returns the entries of a document, with the absent one, or none.
    private static func entries(_ capacity: Int, _ scan: (UnsafeMutablePointer<ScannedEntry>?, Int) -> Int) -> [[UInt32]] {
        let entries = [ScannedEntry](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = min(capacity, scan(buffer.baseAddress, capacity))
        }
        return fields(entries)
    }

    @Test("documents are accepted if `JSONScanner` accepts them, and have the same entries", arguments: 0..<8)
    func documents(seed: UInt64) throws {
        let room = try Room()
        var random = Generator(state: seed &* 131 &+ 5)
        var validCount = 0
        for _ in 0..<1500 {
            let bytes = JSONFuzzTests.mutate(JSONFuzzTests.seeds.randomElement(using: &random) ?? [], &random)
            let built = try? JSONScanner.read(bytes) { (scanner) throws(JSONFault) in
                var builder = JSONTape.Builder(capacity: 8)
                try scanner.document(&builder)
                return builder.finished()
            }
            if built != nil { validCount += 1 }
            let wanted = (built ?? []).map { [UInt32($0.kind.rawValue), $0.start, $0.length, $0.next, $0.detail] }
            #expect((built ?? []).allSatisfy { JSONTape.Kind(rawValue: $0.kind.rawValue) == $0.kind })
            let capacity = bytes.count / 2 + 4
            for atEnd in [false, true] {
                let start = room.place(bytes, atEnd: atEnd)
                #expect(Self.entries(capacity) { catena_scan_tape(start, bytes.count, $0, $1) } == wanted, "\(bytes)")
                #expect(Self.entries(capacity) { catena_scan_tape_portably(start, bytes.count, $0, $1) } == wanted, "\(bytes)")
            }
            #expect((try? JSONTape.entries(of: Data(bytes)))?.count == built?.count)
        }
        #expect((150...1350).contains(validCount))
    }

    /// Documents around the limits of depth, of keys that are compared one by one, and of a block.
    private static let limits: [String] = {
        var texts: [String] = []
        for depth in 510...514 {
            texts.append(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
            texts.append(String(repeating: #"{"a":"#, count: depth) + "0" + String(repeating: "}", count: depth))
        }
        for count in 30...35 {
            let members = (0..<count).map { place in #""key\#(place)":\#(place)"# }
            texts.append("{" + members.joined(separator: ",") + "}")
        }
        for count in 0...33 {
            let (key, value) = (String(repeating: "k", count: count), String(repeating: "v", count: count))
            texts.append(#"{"\#(key)":"\#(value)\n","\#(key)":0}"#)
        }
        return texts
    }()

    @Test("documents at a limit have the entries of `JSONScanner`")
    func limit() {
        each(Self.limits) { text in
            let room = try Room()
            let bytes = Array(text.utf8)
            let built = try? JSONScanner.read(bytes) { (scanner) throws(JSONFault) in
                var builder = JSONTape.Builder(capacity: 8)
                try scanner.document(&builder)
                return builder.finished()
            }
            let wanted = (built ?? []).map { [UInt32($0.kind.rawValue), $0.start, $0.length, $0.next, $0.detail] }
            let start = room.place(bytes, atEnd: true)
            #expect(Self.entries(bytes.count) { catena_scan_tape(start, bytes.count, $0, $1) } == wanted)
            #expect(Self.entries(bytes.count) { catena_scan_tape_portably(start, bytes.count, $0, $1) } == wanted)
            #expect(catena_scan_accepts(start, bytes.count) == (built != nil))
            #expect(catena_scan_accepts_portably(start, bytes.count) == (built != nil))
        }
    }

    /// Returns the offset of the bracket that closes a container, byte by byte.
    private static func close(_ bytes: [UInt8], from start: Int, levels: Int) -> Int {
        var (depth, isString, isEscaped) = (0, false, false)
        for offset in start..<bytes.count {
            let byte = bytes[offset]
            let wasEscaped = isEscaped
            isEscaped = byte == UInt8(ascii: "\\") && !wasEscaped
            if byte == UInt8(ascii: "\""), !wasEscaped { isString.toggle() }
            guard !isString else { continue }
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth > levels { return bytes.count }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { return offset }
                depth -= 1
            default: break
            }
        }
        return bytes.count
    }

    @Test("brackets and white space are found as byte by byte", arguments: 0..<4)
    func brackets(seed: UInt64) throws {
        let room = try Room()
        var random = Generator(state: seed &* 977 &+ 9)
        var foundCount = 0
        for _ in 0..<3000 {
            let seeds = (0..<Int.random(in: 1...4, using: &random)).flatMap { _ in JSONFuzzTests.seeds.randomElement(using: &random) ?? [] }
            let bytes = JSONFuzzTests.mutate(seeds, &random)
            let offset = Int.random(in: 0...bytes.count, using: &random)
            let levels = Int.random(in: 0...6, using: &random)
            let wanted = Self.close(bytes, from: offset, levels: levels)
            let space = bytes[offset...].firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? bytes.count
            if wanted < bytes.count { foundCount += 1 }
            for atEnd in [false, true] {
                let start = room.place(bytes, atEnd: atEnd)
                #expect(catena_scan_close(start, offset, bytes.count, levels) == wanted, "\(bytes) from \(offset)")
                #expect(catena_scan_close_narrowly(start, offset, bytes.count, levels) == wanted, "\(bytes) from \(offset)")
                #expect(catena_scan_close_portably(start, offset, bytes.count, levels) == wanted, "\(bytes) from \(offset)")
                #expect(catena_scan_space(start, offset, bytes.count) == space)
                #expect(catena_scan_space_portably(start, offset, bytes.count) == space)
            }
        }
        #expect(foundCount > 300)
    }

    static let trees: [[String]] = [[], ["data", "errcode", "data.list[2]"], ["[0].name", "b"], ["data.more.x"]]

    @Test("a skimmed or replayed document has the values of a scanned one", arguments: trees)
    func skimming(paths: [String]) throws {
        let tree = JSONPathTree(try paths.map { try JSONPath($0) }, listsMembers: true)
        var random = Generator(state: 77)
        var validCount = 0
        for _ in 0..<2000 {
            let data = Data(JSONFuzzTests.mutate(JSONFuzzTests.seeds.randomElement(using: &random) ?? [], &random))
            guard let strict = try? JSONScan(data, tree: tree) else { continue }
            validCount += 1
            for other in [try JSONScan(data, tree: tree, isSkimming: true), try JSONScan(data, tree: tree, JSONTape.entries(of: data))] {
                #expect(other.root == strict.root)
                #expect(other.found.map(\.path) == strict.found.map(\.path))
                #expect(other.found.map(\.span) == strict.found.map(\.span))
                #expect(other.members.map(\.source) == strict.members.map(\.source))
                #expect(other.members.map(\.span) == strict.members.map(\.span))
            }
        }
        #expect(validCount > 200)
    }

    @Test("the machine's instructions are named")
    func instructions() {
        #if arch(x86_64)
        // Linux says what the processor has.
        let hasWide = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.contains(" avx2 ") == true
        #expect(String(cString: catena_scan_instructions()) == (hasWide ? "SSE2, AVX2" : "SSE2"))
        #elseif arch(arm64)
        #expect(String(cString: catena_scan_instructions()) == "NEON")
        #endif
    }
}
