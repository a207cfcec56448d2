import Foundation
import Testing

/// Each room and each target has a README of five lines whose facts are checked here.
@Suite("READMEs of the rooms", .limitedParallelism) struct RoomReadmeTests {
    @Test("each room says what is in it and what it may use")
    static func roomRows() {
        each(Result { try RoomReadme.rooms() }.paths) { try Self().room(path: $0) }
    }

    func room(path: String) throws {
        let name = try #require(path.split(separator: "/").last.map(String.init))
        let place = try #require(Floor.order.firstIndex(of: name), "there is no room \(name)")
        try #require(place > 0)
        let readme = try RoomReadme(path)
        #expect(readme.faults(mayUse: .roomsUpTo(Floor.order[place - 1])) == [])
        let page = try String(contentsOf: .packageRoot.appending(path: "Docs/Internals/Architecture.md"), encoding: .utf8)
        #expect(page.contains("](../../\(path)/README.md)"), "Architecture lists the room")
    }

    @Test("each target says what is in it and what it may use", arguments: Result { try RoomReadme.targets() }.paths)
    func target(path: String) throws {
        let name = try #require(path.split(separator: "/").last.map(String.init))
        let package = try String(contentsOf: .packageRoot.appending(path: "Package.swift"), encoding: .utf8)
        #expect(try RoomReadme(path).faults(mayUse: .targets(RoomReadme.dependencies(of: name, in: package))) == [])
        let plan = try String(contentsOf: .packageRoot.appending(path: "Sources/README.md"), encoding: .utf8)
        #expect(plan.contains("](\(name)/README.md)"), "Sources/README.md lists the target")
    }

    @Test("the plan of the sources names existing files")
    func plan() throws {
        let readme = try RoomReadme("Sources")
        #expect(readme.text.components(separatedBy: "](").count > 20)
        #expect(readme.missing == [])
    }

    @Test(
        "a README with a fault is found",
        arguments: [
            ("- **Contents:** retries.\n", "it has 1 of the five lines"),
            (lines(begin: "[`Nothing.swift`](Nothing.swift)."), "there is no Nothing.swift"),
            (lines(begin: "`Hedges.swift`."), "there is no Hedges.swift"),
            (lines(begin: "`RetryPolicies` in `RetryPolicy.swift`."), "there is no RetryPolicies"),
            (lines(begin: "the first file."), "it names no file to begin with"),
            (lines(mayUse: "the rooms up to `Caching`."), "it may use the rooms up to Transport"),
            (lines(tests: "[somewhere](../../../Tests/CatenaTests/Limit)."), "there is no ../../../Tests/CatenaTests/Limit"),
            (lines(), ""),
        ])
    func faults(lines: String, fault: String) {
        let readme = RoomReadme(path: "Sources/Catena/Limits", text: "# Limits\n\n" + lines)
        #expect(readme.faults(mayUse: .roomsUpTo("Transport")) == (fault.isEmpty ? [] : [fault]))
    }

    @Test(
        "the targets that a target may use are those of the manifest",
        arguments: [
            (".target(name: \"A\", dependencies: [\"B\", .target(name: \"C\", condition: x([.linux]))], exclude: [\"D\"])", ["B", "C"]),
            (".executableTarget(\n    name: \"A\", dependencies: [\"B\"])", ["B"]),
            (".target(name: \"A\", swiftSettings: settings),\n.target(name: \"B\", dependencies: [\"C\"])", []),
        ])
    func dependencies(manifest: String, expected: [String]) {
        #expect(RoomReadme.dependencies(of: "A", in: manifest) == expected)
    }

    private static func lines(
        mayUse: String = "the rooms up to `Transport`.", begin: String = "[`RetryPolicy.swift`](RetryPolicy.swift), and `RetryStage`.",
        tests: String = "[Tests/CatenaTests/Limits](../../../Tests/CatenaTests/Limits)."
    ) -> String {
        "- **Contents:** retries.\n- **May use:** \(mayUse)\n- **Begin with:** \(begin)\n- **Tests:** \(tests)\n- **Hands on:** decisions.\n"
    }
}

extension Result where Success == [String] {
    /// The paths, or one that makes a test fail.
    fileprivate var paths: [String] { (try? get()) ?? ["unreadable"] }
}
