// swift-tools-version: 6.1
// One call of each kind that Docs/Internals/Architecture.md tells of. `.ci/walks` looks which files of the library it executes.
import PackageDescription

let package = Package(
    name: "Walks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Catena", path: "../..")],
    targets: [.executableTarget(name: "Walk", dependencies: ["Catena"])],
    swiftLanguageModes: [.v6]
)
