// swift-tools-version: 6.1
// Small programs that use Catena as an app, a service, a tool and an SDK would. README.md describes them.
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let catena = Target.Dependency.product(name: "Catena", package: "Catena")
let fleet = Target.Dependency.product(name: "CatenaFleet", package: "Catena")
let testing = Target.Dependency.product(name: "CatenaTesting", package: "Catena")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let integrations = ["CatenaLogging", "CatenaMetrics", "CatenaTracing"].map { name in
    Target.Dependency.product(name: name, package: "CatenaIntegrations")
}

// Redis is used on Linux. Elsewhere the service is built without it.
let redis = Target.Dependency.product(name: "CatenaRedis", package: "CatenaIntegrations", condition: .when(platforms: [.linux]))

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")

let sdks = ["ChatCompletions", "ChatMessages", "LinkPages", "SignedForms", "StreamingChat"]

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [
        .library(name: "TopicsApp", targets: ["TopicsApp"])
    ],
    dependencies: [
        .package(name: "Catena", path: ".."),
        .package(name: "CatenaIntegrations", path: "../Integrations"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    ],
    targets: [
        // CommandLine
        .executableTarget(
            name: "rooms", dependencies: [catena, arguments], path: "CommandLine/Sources", swiftSettings: settings),
        .testTarget(
            name: "RoomsTests", dependencies: ["rooms", catena, testing, arguments], path: "CommandLine/Tests", swiftSettings: settings),

        // Service
        .target(
            name: "Overview", dependencies: [catena, fleet, hummingbird, lifecycle, nio, logging, metrics, tracing, redis] + integrations,
            path: "Service/Sources", swiftSettings: settings),
        .executableTarget(
            name: "overview-service", dependencies: ["Overview", catena, fleet, hummingbird, logging, arguments], path: "Service/Server",
            swiftSettings: settings),
        .executableTarget(
            name: "overview-backends", dependencies: [catena, testing], path: "Service/Backends", swiftSettings: settings),
        .testTarget(
            name: "OverviewTests",
            dependencies: [
                "Overview", catena, redis, testing, hummingbird, lifecycle, logging, metrics, tracing,
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ], path: "Service/Tests", swiftSettings: settings),

        // App
        .target(name: "Topics", dependencies: [catena], path: "App/Logic", swiftSettings: settings),
        .target(name: "TopicsApp", dependencies: ["Topics", catena], path: "App/Views", swiftSettings: settings),
        .testTarget(name: "TopicsTests", dependencies: ["Topics", catena, testing], path: "App/Tests", swiftSettings: settings),

        // SealedNotes
        .target(
            name: "SealedNotes", dependencies: [catena, crypto], path: "SealedNotes", exclude: ["README.md", "Tests"],
            swiftSettings: settings),
        .testTarget(
            name: "SealedNotesTests", dependencies: ["SealedNotes", catena, testing], path: "SealedNotes/Tests", swiftSettings: settings),

        // Failures
        .target(name: "Viewer", path: "Failures/Viewer", swiftSettings: settings),
        .executableTarget(
            name: "dashboard", dependencies: ["Viewer", catena, testing], path: "Failures/Dashboard", swiftSettings: settings),
        .executableTarget(
            name: "community", dependencies: ["Viewer", catena, testing], path: "Failures/Community", swiftSettings: settings),
        .executableTarget(
            name: "payments", dependencies: ["Viewer", catena, testing], path: "Failures/Payments", swiftSettings: settings),

        // SDKs
        .testTarget(
            name: "SDKTests", dependencies: [catena, testing] + sdks.map { .byName(name: $0) }, path: "SDKs/Tests",
            swiftSettings: settings),
    ] + sdks.map { .target(name: $0, dependencies: [catena], path: "SDKs/\($0)", swiftSettings: settings) },
    swiftLanguageModes: [.v6]
)
