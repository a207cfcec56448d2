import Foundation
import Testing

@testable import Catena

@Suite("Descriptions, dumps and mirrors of public types", .limitedParallelism)
struct PublicTypeTests {
    /// Returns the text that print, string interpolation, `dump` and mirrors show of a value. `Data` shows its bytes as numbers.
    private static func shown(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text + "\(value)" + String(reflecting: value) + "\([value])" + "\(["a": value])"
    }

    /// The types in the lists of public names. A type begins with an upper-case letter and has no labels.
    private static var listed: Set<String> {
        get throws {
            let lists = ["Surface.txt", "Surface/CatenaLoopback.txt"] + Layer.products.map { "Surface/\($0).txt" }
            let names = try lists.flatMap { list in
                try String(contentsOf: .packageRoot.appending(path: "Docs/Internals/\(list)"), encoding: .utf8).split(separator: "\n")
                    .map(String.init)
            }
            return Set(names.filter { name in !name.contains("(") && name.split(separator: ".").last?.first?.isUppercase == true })
        }
    }

    @Test("every public type has either a sample with a secret or a reason why it cannot hold one")
    func complete() throws {
        let listed = try Self.listed
        #expect(listed.count > 200)
        let (sampled, free) = (Set(PublicTypes.samples.keys), Set(PublicTypes.free.values.joined()))
        #expect(listed.subtracting(sampled).subtracting(free) == [], "add a sample with a secret, or a reason why there can be none")
        #expect(sampled.union(free).subtracting(listed) == [], "there are no such types")
        #expect(sampled.intersection(free) == [])
        #expect(PublicTypes.free.values.joined().count == free.count)
    }

    @Test("the description, dump and mirror of a value hide its secret")
    static func hiddenRows() async {
        await each(PublicTypes.samples.keys.sorted()) { try await Self().hidden($0) }
    }

    func hidden(_ name: String) async throws {
        let make = try #require(PublicTypes.samples[name])
        let bytes = "made-up".utf8.map { "- \($0)" }
        let values = try await make()
        #expect(!values.isEmpty)
        for value in values {
            let text = Self.shown(value)
            #expect(!text.contains("made-up"), "\(name): \(text.prefix(2000))")
            // The secret may also appear as the numbers of its bytes.
            let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            let isListed = lines.indices.contains { lines[$0...].prefix(bytes.count).elementsEqual(bytes) }
            #expect(!isListed, "\(name) lists the bytes")
        }
    }
}
