#if os(Linux)
import Foundation
import Testing

/// The public names of the package, each of which is a deliberate decision.
///
/// A commit that adds, renames or removes a name also changes Docs/Internals/Surface.txt, or the list of the module in Docs/Internals/Surface. The command
/// `CATENA_WRITE_SURFACE=1 swift test --filter SurfaceTests` writes them.
@Suite("The public surface", .limitedParallelism) struct SurfaceTests {
    /// The lists, with the modules whose names they have.
    private static let lists =
        [("Surface.txt", library), ("Surface/CatenaLoopback.txt", ["CatenaLoopback"])] + Layer.products.map { ("Surface/\($0).txt", [$0]) }
    private static let library = ["Catena", "CatenaPromise", "CatenaTesting", "CatenaURLSession"]
    private static let surface = Result { try PublicSurface(of: library + Layer.products) }

    @Test("each list has every public name of its modules and nothing else", arguments: lists)
    func names(list: String, modules: [String]) throws {
        let found = try PublicSurface(of: modules).lines
        let file = URL.packageRoot.appending(path: "Docs/Internals/\(list)")
        if ProcessInfo.processInfo.environment["CATENA_WRITE_SURFACE"] != nil {
            try Data((found.joined(separator: "\n") + "\n").utf8).write(to: file)
        }
        let kept = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(Set(found).subtracting(kept) == [], "names that are not in Docs/Internals/\(list)")
        #expect(Set(kept).subtracting(found) == [], "names of Docs/Internals/\(list) that no longer exist")
        #expect(kept == kept.sorted())
    }

    @Test(
        "completion after API, a request and a promise offers a limited number of names",
        arguments: [(["API"], 29), (["Request", "RequestSteps"], 54), (["Promise"], 23)])
    func budget(owners: [String], most: Int) throws {
        // With `import CatenaTesting` a request has two steps more.
        let surface = try PublicSurface(of: ["Catena", "CatenaPromise"])
        let names = Set(owners.flatMap { surface.offered(after: $0).map(\.base) })
        #expect(names.count <= most, "\(names.sorted())")
        // An empty surface would meet any limit.
        #expect(names.count > most / 4)
    }

    @Test("completion after a value of a promise offers a limited number of names")
    func promiseValue() throws {
        let names = try Self.surface.get().offered(after: "Promise").filter { !$0.isStatic }
        #expect((10...16).contains(Set(names.map(\.base)).count), "\(names.map(\.text).sorted())")
    }

    @Test("completion after API offers a limited number of names, even with their labels")
    func facade() throws {
        let names = try Self.surface.get().offered(after: "API")
        #expect(names.count <= 38, "\(names.map(\.text).sorted())")
    }

    @Test("no public member named none can be mistaken for an empty optional")
    func none() throws {
        let names = try Self.surface.get().names.filter { $0.base == "none" }
        // Types of which no property or parameter is an optional, and the member of Optional that makes `.none` ambiguous.
        #expect(Set(names.map(\.owner)) == ["CommonHeaders", "CommonParams", "Optional", "ParameterSigner.Secret", "ResponseFormat"])
    }
}
#endif
