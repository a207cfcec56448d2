// swift-tools-version: 6.1
// Two programs, with and without a call, built as an app's package builds them. `.ci/size` compares their sizes.
import PackageDescription

let package = Package(
    name: "Size",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Catena", path: "../..")],
    targets: [
        .executableTarget(name: "NoCall", path: "Sources/NoCall"),
        .executableTarget(name: "OneCall", dependencies: ["Catena"], path: "Sources/OneCall"),
    ],
    swiftLanguageModes: [.v6]
)
