// swift-tools-version: 6.1
// One call of each kind that Docs/Internals/Architecture.md describes. `.ci/walks` determines the files of the library that it executes.
import PackageDescription

let package = Package(
    name: "Walks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Catena", path: "../..")],
    targets: [.executableTarget(name: "Walk", dependencies: ["Catena"])],
    swiftLanguageModes: [.v6]
)
