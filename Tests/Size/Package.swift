// swift-tools-version: 6.1
// What a call adds to a program, built as an app's package builds it: .ci/size compares the two.
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
