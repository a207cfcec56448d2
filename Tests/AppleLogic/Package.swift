// swift-tools-version: 6.1
// What Apple platforms compile of Catena, run on Linux over frameworks that behave as Apple documents theirs. `.ci/apple` puts the sources of
// the library beside those of the frameworks, and tests of the library beside those here; alone, this package does not build.
import PackageDescription

// As in `.ci/apple`: without the one for internal imports.
let settings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility")]

let package = Package(
    name: "AppleLogic",
    dependencies: [.package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0")],
    targets: [
        .target(name: "CCurl"),
        .target(name: "Combine", dependencies: [.product(name: "OpenCombine", package: "OpenCombine")]),
        .target(name: "CryptoKit"),
        // Not "Darwin": what the package manager adds would take this for a machine of Apple's.
        .target(name: "DarwinOfApple"),
        .target(name: "FoundationOfApple", dependencies: ["DarwinOfApple"]),
        .target(name: "Network"),
        // Signs with what signs on Linux, too.
        .target(name: "Security", dependencies: ["CCurl", "FoundationOfApple"]),
        .target(name: "os"),
        .target(name: "CatenaPromise", dependencies: ["Combine", "FoundationOfApple", "os"], swiftSettings: settings),
        .target(
            name: "Catena", dependencies: ["CatenaPromise", "CryptoKit", "FoundationOfApple", "Network", "Security", "os"],
            swiftSettings: settings),
        .target(name: "TestSupport", dependencies: ["CatenaPromise"], swiftSettings: settings),
        .testTarget(name: "CatenaPromiseTests", dependencies: ["CatenaPromise", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "AppleTests",
            dependencies: ["Catena", "CatenaPromise", "Combine", "FoundationOfApple", "Network", "Security", "TestSupport", "os"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
