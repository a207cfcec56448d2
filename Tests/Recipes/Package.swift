// swift-tools-version: 6.1
// The library with the additions of its recipes, and their tests. `.ci/recipes` copies the sources and this file to one folder.
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Catena",
    platforms: [.macOS(.v13)],
    targets: [
        .target(name: "CCurl"),
        .target(name: "COpenSSL"),
        .target(name: "CScan"),
        .target(name: "CatenaPlatform", swiftSettings: settings),
        .target(name: "CatenaPromise", dependencies: ["CatenaPlatform"], swiftSettings: settings),
        .target(
            name: "Catena",
            dependencies: ["CScan", "CatenaPlatform", "CatenaPromise", .target(name: "CCurl", condition: .when(platforms: [.linux]))],
            exclude: ["Catena.docc", "PrivacyInfo.xcprivacy"], swiftSettings: settings),
        .target(
            name: "CatenaURLSession", dependencies: ["Catena", "CatenaPromise"],
            swiftSettings: settings + [.define("CATENA_SESSION", .when(platforms: [.linux]))]),
        .target(
            name: "CatenaLoopback",
            dependencies: ["Catena", "CatenaPlatform", "CatenaPromise", .target(name: "COpenSSL", condition: .when(platforms: [.linux]))],
            swiftSettings: settings),
        .target(
            name: "CatenaArchive", dependencies: ["Catena", "CatenaPlatform", "CatenaPromise"], exclude: ["CatenaArchive.docc"],
            swiftSettings: settings),
        .target(
            name: "CatenaFleet", dependencies: ["Catena", "CatenaPlatform", "CatenaPromise"], exclude: ["CatenaFleet.docc"],
            swiftSettings: settings),
        .target(
            name: "CatenaRules", dependencies: ["Catena", "CatenaPlatform", "CatenaPromise"], exclude: ["CatenaRules.docc"],
            swiftSettings: settings),
        .target(
            name: "CatenaSigners",
            dependencies: ["Catena", "CatenaPlatform", .target(name: "CCurl", condition: .when(platforms: [.linux]))],
            exclude: ["CatenaSigners.docc"], swiftSettings: settings),
        .target(
            name: "CatenaTesting", dependencies: ["Catena", "CatenaArchive", "CatenaLoopback", "CatenaPlatform", "CatenaPromise"],
            swiftSettings: settings),
        .target(
            name: "TestSupport", dependencies: ["CatenaPromise", "CatenaURLSession"], path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(
            name: "CatenaTests",
            dependencies: [
                "Catena", "CatenaArchive", "CatenaFleet", "CatenaLoopback", "CatenaPromise", "CatenaRules", "CatenaSigners",
                "CatenaTesting", "CatenaURLSession",
                "TestSupport",
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
