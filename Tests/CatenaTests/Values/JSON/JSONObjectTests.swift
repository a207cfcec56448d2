import Testing

@testable import Catena

@Suite("JSON, objects", .limitedParallelism)
struct JSONObjectTests {
    /// Sizes on both sides of the limit from which a hash table finds the members.
    static let sizes = [0, 1, 15, 16, 17, 18, 100, 5000]

    private func document(_ size: Int) -> String {
        "{" + (0..<size).map { "\"key \(size - $0)\":\($0)" }.joined(separator: ",") + "}"
    }

    @Test("members keep their order", arguments: sizes)
    func order(size: Int) throws {
        #expect(try JSON(parsing: document(size).utf8).text == document(size))
    }

    @Test("each member is found and no other", arguments: sizes)
    func lookup(size: Int) throws {
        let value = try JSON(parsing: document(size).utf8)
        #expect((0..<size).allSatisfy { value["key \(size - $0)"].int == $0 })
        #expect(value["key 0"].isNull)
        #expect(value["key \(size + 1)"].isNull)
        #expect(value[""].isNull)
        #expect(value.object?.count == size)
    }

    @Test("the first of two equal keys is kept", arguments: [2, 16, 17, 100])
    func duplicates(size: Int) throws {
        let members = (0..<size).map { "\"k\($0)\":\($0)" }
        let repeated = (0..<size).map { "\"k\($0)\":\"late\"" }
        let value = try JSON(parsing: ("{" + (members + repeated).joined(separator: ",") + "}").utf8)
        #expect(value.text == "{" + members.joined(separator: ",") + "}")
        #expect((0..<size).allSatisfy { value["k\($0)"].int == $0 })
        #expect(value.object?["k1"] == 1)
    }

    @Test("an escaped key equals the plain one")
    func escapedDuplicate() throws {
        #expect(try JSON(parsing: #"{"\u0061":1,"a":2}"#.utf8).text == #"{"a":1}"#)
    }

    @Test("keys that look alike but have different code points are two members", arguments: [0, 20])
    func canonicallyEquivalentKeys(more: Int) throws {
        let rest = (0..<more).map { ",\"\($0)\":0" }.joined()
        let value = try JSON(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2\(rest)}".utf8)
        #expect(value["\u{E9}"].int == 1)
        #expect(value["e\u{301}"].int == 2)
        #expect(value.object?.count == 2 + more)
        // A dictionary of Swift strings can hold only one of them, because they compare as equal.
        #expect(value.object?.dictionary.count == 1 + more)
        #expect(value.object?["\u{E9}"] == 1)
    }

    @Test("large objects are equal in any order", arguments: sizes)
    func equality(size: Int) throws {
        let reversed = "{" + (0..<size).reversed().map { "\"key \(size - $0)\":\($0)" }.joined(separator: ",") + "}"
        #expect(try JSON(parsing: document(size).utf8) == JSON(parsing: reversed.utf8))
        #expect(try JSON(parsing: document(size).utf8) != JSON(parsing: document(size + 1).utf8))
    }
}
