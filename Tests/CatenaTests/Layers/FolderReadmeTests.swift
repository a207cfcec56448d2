import Foundation
import Testing

/// Each folder of the library and each target has a README of five lines whose facts are checked here.
@Suite("READMEs of the folders", .limitedParallelism) struct FolderReadmeTests {
    @Test("each folder says what is in it and what it may use")
    static func folderRows() {
        each(Result { try FolderReadme.layers() }.paths) { try Self().folder(path: $0) }
    }

    func folder(path: String) throws {
        let name = try #require(path.split(separator: "/").last.map(String.init))
        let place = try #require(Layer.order.firstIndex(of: name), "there is no layer \(name)")
        try #require(place > 0)
        let readme = try FolderReadme(path)
        #expect(readme.faults(mayUse: .layersUpTo(Layer.order[place - 1])) == [])
        let page = try String(contentsOf: .packageRoot.appending(path: "Docs/Internals/Architecture.md"), encoding: .utf8)
        #expect(page.contains("](../../\(path)/README.md)"), "Architecture lists the folder")
    }

    @Test("each target says what is in it and what it may use", arguments: Result { try FolderReadme.targets() }.paths)
    func target(path: String) throws {
        let name = try #require(path.split(separator: "/").last.map(String.init))
        let package = try String(contentsOf: .packageRoot.appending(path: "Package.swift"), encoding: .utf8)
        #expect(try FolderReadme(path).faults(mayUse: .targets(FolderReadme.dependencies(of: name, in: package))) == [])
        let plan = try String(contentsOf: .packageRoot.appending(path: "Sources/README.md"), encoding: .utf8)
        #expect(plan.contains("](\(name)/README.md)"), "Sources/README.md lists the target")
    }

    @Test("the plan of the sources names existing files")
    func plan() throws {
        let readme = try FolderReadme("Sources")
        #expect(readme.text.components(separatedBy: "](").count > 20)
        #expect(readme.missing == [])
    }

    @Test(
        "a README with a fault is found",
        arguments: [
            ("- **Contents:** retries.\n", "it has 1 of the five lines"),
            (lines(begin: "[`Nothing.swift`](Nothing.swift)."), "there is no Nothing.swift"),
            (lines(begin: "`Hedges.swift`."), "there is no Hedges.swift"),
            (lines(begin: "`RetryPolicies` in `Limits/RetryPolicy.swift`."), "there is no RetryPolicies"),
            (lines(begin: "the first file."), "it names no file to begin with"),
            (lines(mayUse: "the layers up to `Running`."), "it may use the layers up to Sending"),
            (lines(tests: "[somewhere](../../../Tests/CatenaTests/Describe)."), "there is no ../../../Tests/CatenaTests/Describe"),
            (lines(), ""),
        ])
    func faults(lines: String, fault: String) {
        let readme = FolderReadme(path: "Sources/Catena/Describing", text: "# Describing\n\n" + lines)
        #expect(readme.faults(mayUse: .layersUpTo("Sending")) == (fault.isEmpty ? [] : [fault]))
    }

    @Test(
        "the targets that a target may use are those of the manifest",
        arguments: [
            (".target(name: \"A\", dependencies: [\"B\", .target(name: \"C\", condition: x([.linux]))], exclude: [\"D\"])", ["B", "C"]),
            (".executableTarget(\n    name: \"A\", dependencies: [\"B\"])", ["B"]),
            (".target(name: \"A\", swiftSettings: settings),\n.target(name: \"B\", dependencies: [\"C\"])", []),
        ])
    func dependencies(manifest: String, expected: [String]) {
        #expect(FolderReadme.dependencies(of: "A", in: manifest) == expected)
    }

    private static func lines(
        mayUse: String = "the layers up to `Sending`.",
        begin: String = "[`RetryPolicy.swift`](Limits/RetryPolicy.swift), and `RetryStage`.",
        tests: String = "[Tests/CatenaTests/Describing](../../../Tests/CatenaTests/Describing)."
    ) -> String {
        "- **Contents:** retries.\n- **May use:** \(mayUse)\n- **Begin with:** \(begin)\n- **Tests:** \(tests)\n- **Hands on:** decisions.\n"
    }
}

extension Result where Success == [String] {
    /// The paths, or one that makes a test fail.
    fileprivate var paths: [String] { (try? get()) ?? ["unreadable"] }
}
