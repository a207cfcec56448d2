import Testing

@testable import Catena

@Suite("Comparison of keys", .limitedParallelism)
struct ComparedKeyTests {
    private static let characters = Array("aeorczAEORCZ0189@[`{/:_-. \u{1}\u{10}\u{1A}\u{7F}é名")

    /// Keys of up to 20 characters. Two of three consist of letters and digits only.
    private static func keys(_ count: Int) -> [String] {
        var random = SplitMix(state: 11)
        return (0..<count).map { number in
            let characters = number % 3 == 0 ? Self.characters : Self.characters[..<16].map { $0 }
            return String((0..<Int.random(in: 1...20, using: &random)).map { _ in characters.randomElement(using: &random) ?? "a" })
        } + ["err", "error", "errCode", "err_code", "code", "cod", "ERRORDESCRIPTION", "errorMessage1234", "Code_Code_Code_Code"]
    }

    @Test("A key read eight bytes at a time equals the key read byte by byte")
    func ways() {
        for key in Self.keys(2000) where key.utf8.allSatisfy({ $0 < 0x80 }) && key.contains(where: { $0.isLetter || $0.isNumber }) {
            // A character that is neither a letter nor a digit makes the initializer read byte by byte.
            #expect(ComparedKey(key) == ComparedKey("_" + key), "\(key)")
        }
    }

    @Test("Keys of up to 16 letters and digits are equal only if their lowercase letters and digits are equal")
    func equality() {
        let keys = Self.keys(150).map { (key: $0, compared: ComparedKey($0), text: $0.comparedAsKey) }.filter { $0.compared.isWhole }
        for key in keys {
            for other in keys {
                #expect((key.compared == other.compared) == (key.text == other.text), "\(key.key) \(other.key)")
            }
        }
    }

    @Test("A compared key recognizes the prefixes err and error, the suffix code and the words of the vocabulary")
    func ends() {
        let words = Dictionary(uniqueKeysWithValues: VocabularyWord.allCases.map { ("\($0)", $0) })
        for key in Self.keys(2000) + words.keys {
            let compared = ComparedKey(key)
            let text = key.comparedAsKey
            #expect(compared.beginsWithErr == text.hasPrefix("err"), "\(key)")
            #expect(compared.beginsWithError == text.hasPrefix("error"), "\(key)")
            #expect(compared.endsWithCode == text.hasSuffix("code"), "\(key)")
            #expect(compared.word == words[text], "\(key)")
        }
    }
}
