// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Catena",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Catena", targets: ["Catena"]),
        .library(name: "CatenaTesting", targets: ["CatenaTesting"]),
    ],
    targets: [
        // These two compile to nothing elsewhere.
        .target(name: "CCurl"),
        .target(name: "COpenSSL"),
        .target(name: "Catena", dependencies: [.target(name: "CCurl", condition: .when(platforms: [.linux]))], swiftSettings: settings),
        .target(
            name: "CatenaTesting", dependencies: ["Catena", .target(name: "COpenSSL", condition: .when(platforms: [.linux]))],
            swiftSettings: settings),
        .executableTarget(name: "catena-demo", dependencies: ["Catena", "CatenaTesting"], swiftSettings: settings),
        .executableTarget(name: "catena-bench", dependencies: ["Catena", "CatenaTesting"], swiftSettings: settings),
        // What the tests wait with.
        .target(name: "TestSupport", dependencies: ["Catena"], path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(name: "CatenaTests", dependencies: ["Catena", "CatenaTesting", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "CatenaTestingTests", dependencies: ["Catena", "CatenaTesting", "TestSupport"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
