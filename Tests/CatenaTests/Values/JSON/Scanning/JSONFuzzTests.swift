import Foundation
import Testing

@testable import Catena

@Suite("JSON, mutated documents", .limitedParallelism)
struct JSONFuzzTests {
    /// SplitMix64, so that each run has the same documents.
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    static let seeds = [
        #"{"errcode":0,"errmsg":"ok","data":{"list":[1,-2.5,3e10,0.125],"more":false,"next":null}}"#,
        #"[{"id":1,"name":"Ann \"A\" \\ \/ \b\f\n\r\t","tags":["a","é","日本語","😀"]},{"id":2,"name":"\u0041\u00e9\ud83d\ude00"}]"#,
        #" { "a" : [ [ ] , { } , [ [ 0 ] ] ] , "b" : "" , "c" : -0.0E-1 , "d":true } "#,
        #"[true,false,null,0,-1,1.5,"x",[],{},18446744073709551615,9007199254740993]"#,
        "\"long plain text that spans several words, then é, and more\"", "-12.5e+3", "null",
    ].map { Array($0.utf8) }

    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "0", "1", "-", "+", ".", "e", "E", "null", "true", "false", "\\u", "\\ud800", "\\udc00",
        "\\n", "/", " ", "\n", "\t", "a", "é", "😀", "1.0",
        "[]", "{}", "\"a\":", ",]", ",}", "01", "\u{1}", "\u{7F}", "\u{FEFF}", "1e5", "\\\"",
    ].map { Array($0.utf8) }

    static func mutate(_ bytes: [UInt8], _ random: inout Generator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 1...6, using: &random))
            switch Int.random(in: 0..<7, using: &random) {
            case 0: bytes.remove(at: place)
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes[place] = UInt8.random(in: 1...255, using: &random)
            case 3: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 4: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
            case 5: bytes.replaceSubrange(place..<end, with: pieces.randomElement(using: &random) ?? [])
            default: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
            }
        }
        return bytes
    }

    /// Excludes documents that Foundation may take for UTF-16 or UTF-32, because they do not compare the grammars.
    private static func isComparable(_ bytes: [UInt8]) -> Bool {
        !bytes.contains(0) && !bytes.starts(with: [0xFE, 0xFF]) && !bytes.starts(with: [0xFF, 0xFE])
    }

    /// Removes commas before closing brackets, which Foundation accepts, so that the verdicts have to agree.
    private static func withoutTrailingCommas(_ document: [UInt8]) -> [UInt8] {
        var document = document
        while true {
            do throws(JSONSyntaxError) {
                _ = try JSON(parsing: document)
                return document
            } catch {
                guard error.reason == JSONFault.Reason.trailingComma.rawValue,
                    let comma = document[..<error.offset].lastIndex(of: UInt8(ascii: ","))
                else { return document }
                document.remove(at: comma)
            }
        }
    }

    /// Whether the value has a number that no `Double` can hold. Foundation rejects documents with such a number.
    private static func hasNumberBeyondDouble(_ value: JSON) -> Bool {
        switch value.storage {
        case .number: value.double == nil
        case .array(let elements): elements.contains(where: hasNumberBeyondDouble)
        case .object(let object): object.members.contains { hasNumberBeyondDouble($0.value) }
        default: false
        }
    }

    @Test("mutated documents are valid exactly if Foundation accepts them, apart from the known differences", arguments: 0..<8)
    func agreement(seed: Int) throws {
        var random = Generator(state: UInt64(seed) &* 7919 &+ 1)
        var validCount = 0
        for _ in 0..<1500 {
            let mutated = Self.mutate(Self.seeds.randomElement(using: &random) ?? [], &random)
            guard Self.isComparable(mutated) else { continue }
            let foundation = (try? JSONSerialization.jsonObject(with: Data(mutated), options: .fragmentsAllowed)) != nil
            let document = Self.withoutTrailingCommas(mutated)
            let shown = String(decoding: mutated, as: UTF8.self)
            do throws(JSONSyntaxError) {
                let value = try JSON(parsing: document)
                validCount += 1
                #expect(foundation || Self.hasNumberBeyondDouble(value), "only Catena reads \(shown)")
                #expect(try JSON(parsing: value.encoded) == value, "\(shown)")
                #expect(try JSON(document, JSONScan(document, paths: []).root) == value, "\(shown)")
            } catch {
                #expect(!foundation, "only Foundation reads \(shown): \(error)")
                #expect((0...document.count).contains(error.offset))
                #expect(throws: error) { try JSONScan(document, paths: []) }
            }
        }
        // If no documents or all documents were valid, the test would compare nothing.
        #expect((150...1350).contains(validCount))
    }

    private static let scalars = [
        "null", "true", "false", "0", "-0", "-1.5e-3", "12E+2", "9007199254740993", "18446744073709551615", "0.1", #""""#, #""a b""#,
        #""\u00e9\n\"\\\/""#, #""é😀""#, #""\ud83d\ude00""#, #""{[,:]}""#,
    ]

    /// Returns a well-formed document with white space wherever it is allowed.
    private static func document(depth: Int, _ random: inout Generator) -> String {
        func space(_ random: inout Generator) -> String { ["", "", " ", "\n\t", "\r\n "].randomElement(using: &random) ?? "" }
        func list(_ element: (inout Generator) -> String) -> String {
            (0..<Int.random(in: 0...4, using: &random)).map { _ in space(&random) + element(&random) + space(&random) }.joined(
                separator: ",")
        }
        switch depth == 0 ? 0 : Int.random(in: 0..<3, using: &random) {
        case 0: return space(&random) + (scalars.randomElement(using: &random) ?? "") + space(&random)
        case 1: return space(&random) + "[" + list { document(depth: depth - 1, &$0) } + "]" + space(&random)
        default:
            let keys = [#""""#, #""a""#, #""b c""#, #""\u0061\t""#, #""é""#]
            return "{" + list { (keys.randomElement(using: &$0) ?? "") + " :" + document(depth: depth - 1, &$0) } + "}"
        }
    }

    @Test("Foundation and Catena read well-formed documents, and a written document has the same value", arguments: 0..<4)
    func wellFormed(seed: Int) throws {
        var random = Generator(state: UInt64(seed) &* 104_729 &+ 3)
        for _ in 0..<500 {
            let document = Self.document(depth: 5, &random)
            let value = try JSON(parsing: document.utf8)
            #expect(try JSON(parsing: value.encoded) == value, "\(document)")
            let original = try JSONSerialization.jsonObject(with: Data(document.utf8), options: .fragmentsAllowed)
            // Foundation takes the last of two equal keys, Catena the first, so only the kinds of the roots are compared.
            let written = try JSONSerialization.jsonObject(with: value.encoded, options: .fragmentsAllowed)
            #expect(type(of: original) == type(of: written), "\(document)")
        }
    }

    @Test("random bytes are read or rejected as by Foundation", arguments: 0..<4)
    func noise(seed: Int) {
        var random = Generator(state: UInt64(seed) &* 15_485_863 &+ 5)
        let alphabet = Array("[]{},:\"\\u0123456789aAbBeE+-.tfn \n".utf8) + [0x00, 0x1F, 0x80, 0xC2, 0xE2, 0xED, 0xF0, 0xFF]
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            let isRead = (try? JSON(parsing: bytes)) != nil
            #expect(isRead == ((try? JSONScan(bytes, paths: [])) != nil))
            guard Self.isComparable(bytes), Self.withoutTrailingCommas(bytes) == bytes else { continue }
            let isReadByFoundation = (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
            #expect(isRead == isReadByFoundation, "\(bytes)")
        }
    }
}
