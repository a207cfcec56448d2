#if os(Linux)
import Foundation
import Testing

/// What the package offers is a decision, not an accident.
///
/// A name that is added, renamed or taken away changes Docs/Internals/Surface.txt in the same commit:
/// `CATENA_WRITE_SURFACE=1 swift test --filter SurfaceTests` writes it.
@Suite("The public surface", .limitedParallelism) struct SurfaceTests {
    private static let list = URL.packageRoot.appending(path: "Docs/Internals/Surface.txt")
    private static let surface = Result { try PublicSurface(of: ["Catena", "CatenaPromise", "CatenaTesting"]) }

    @Test("every public name is in the list, and nothing else is")
    func names() throws {
        let found = try Self.surface.get().lines
        if ProcessInfo.processInfo.environment["CATENA_WRITE_SURFACE"] != nil {
            try Data((found.joined(separator: "\n") + "\n").utf8).write(to: Self.list)
        }
        let kept = try String(contentsOf: Self.list, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(Set(found).subtracting(kept) == [], "names that are not in Docs/Internals/Surface.txt")
        #expect(Set(kept).subtracting(found) == [], "names of Docs/Internals/Surface.txt that there are no more")
        #expect(kept == kept.sorted())
    }

    @Test("what comes next in a sentence can be read at a glance", arguments: [("API", 40), ("Request", 80), ("Promise", 24)])
    func budget(owner: String, most: Int) throws {
        let names = Set(try Self.surface.get().offered(after: owner).map(\.base))
        #expect(names.count <= most, "\(names.sorted())")
        // A surface that could not be read would keep any budget.
        #expect(names.count > most / 4)
    }

    @Test("with their labels, too, few names follow API")
    func facade() throws {
        let names = try Self.surface.get().offered(after: "API")
        #expect(names.count <= 40, "\(names.map(\.text).sorted())")
    }

    @Test("nothing is called none that could stand for an optional without a value")
    func none() throws {
        let names = try Self.surface.get().names.filter { $0.base == "none" }
        // Types that no property and no parameter has as an optional, and the optional that makes `.none` ambiguous.
        #expect(Set(names.map(\.owner)) == ["CommonHeaders", "CommonParams", "Optional", "ParameterSigner.Secret", "ResponseFormat"])
    }
}
#endif
