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
        .target(name: "CatenaPromise", swiftSettings: settings),
        .target(
            name: "Catena", dependencies: ["CScan", "CatenaPromise", .target(name: "CCurl", condition: .when(platforms: [.linux]))],
            exclude: ["Catena.docc", "PrivacyInfo.xcprivacy"], swiftSettings: settings),
        .target(
            name: "CatenaLoopback",
            dependencies: ["Catena", "CatenaPromise", .target(name: "COpenSSL", condition: .when(platforms: [.linux]))],
            swiftSettings: settings),
        .target(
            name: "CatenaArchive", dependencies: ["Catena", "CatenaPromise"], exclude: ["CatenaArchive.docc"], swiftSettings: settings),
        .target(
            name: "CatenaFleet", dependencies: ["Catena", "CatenaPromise"], exclude: ["CatenaFleet.docc"], swiftSettings: settings),
        .target(
            name: "CatenaRules", dependencies: ["Catena", "CatenaPromise"], exclude: ["CatenaRules.docc"], swiftSettings: settings),
        .target(
            name: "CatenaSigners", dependencies: ["Catena", .target(name: "CCurl", condition: .when(platforms: [.linux]))],
            exclude: ["CatenaSigners.docc"], swiftSettings: settings),
        .target(
            name: "CatenaTesting", dependencies: ["Catena", "CatenaArchive", "CatenaLoopback", "CatenaPromise"], swiftSettings: settings),
        .target(name: "TestSupport", dependencies: ["CatenaPromise"], path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(
            name: "CatenaTests",
            dependencies: [
                "Catena", "CatenaArchive", "CatenaFleet", "CatenaLoopback", "CatenaPromise", "CatenaRules", "CatenaSigners",
                "CatenaTesting",
                "TestSupport",
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
