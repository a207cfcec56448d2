// swift-tools-version: 6.1
// Runs Catena's code for Apple platforms on Linux, with frameworks that behave as Apple documents. `.ci/apple` adds the sources and some tests of the
// library. Without them this package does not build.
import PackageDescription

// As in `.ci/apple`, without InternalImportsByDefault.
let settings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility")]

let package = Package(
    name: "AppleLogic",
    dependencies: [.package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0")],
    targets: [
        .target(name: "CCurl"),
        .target(name: "CScan"),
        .target(name: "Combine", dependencies: [.product(name: "OpenCombine", package: "OpenCombine")]),
        .target(name: "CryptoKit"),
        // Not named "Darwin", because code that the package manager adds would then assume an Apple platform.
        .target(name: "DarwinOfApple"),
        .target(name: "FoundationOfApple", dependencies: ["DarwinOfApple"]),
        .target(name: "Network"),
        // Uses the library that also signs on Linux.
        .target(name: "Security", dependencies: ["CCurl", "FoundationOfApple"]),
        .target(name: "os"),
        .target(name: "CatenaPlatform", dependencies: ["DarwinOfApple", "FoundationOfApple"], swiftSettings: settings),
        .target(name: "CatenaPromise", dependencies: ["CatenaPlatform", "Combine", "FoundationOfApple", "os"], swiftSettings: settings),
        .target(
            name: "Catena",
            dependencies: ["CScan", "CatenaPlatform", "CatenaPromise", "CryptoKit", "FoundationOfApple", "Network", "Security", "os"],
            swiftSettings: settings + [.define("CATENA_SESSION")]),
        .target(
            name: "CatenaSigners", dependencies: ["Catena", "CatenaPlatform", "FoundationOfApple", "Security"], swiftSettings: settings),
        .target(name: "TestSupport", dependencies: ["CatenaPromise"], swiftSettings: settings),
        .testTarget(name: "CatenaPromiseTests", dependencies: ["CatenaPromise", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "AppleTests",
            dependencies: [
                "Catena", "CatenaPromise", "CatenaSigners", "Combine", "FoundationOfApple", "Network", "Security", "TestSupport", "os",
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
