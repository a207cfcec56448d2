// swift-tools-version: 6.1
// Catena beside the packages that services on the server share. Catena itself has no dependencies: this package has them.
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let catena = Target.Dependency.product(name: "Catena", package: "Catena")
let testing = Target.Dependency.product(name: "CatenaTesting", package: "Catena")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")

let package = Package(
    name: "CatenaIntegrations",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "CatenaLogging", targets: ["CatenaLogging"]),
        .library(name: "CatenaMetrics", targets: ["CatenaMetrics"]),
        .library(name: "CatenaTracing", targets: ["CatenaTracing"]),
    ],
    dependencies: [
        .package(name: "Catena", path: ".."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    ],
    targets: [
        .target(name: "CatenaLogging", dependencies: [catena, logging], swiftSettings: settings),
        .testTarget(name: "CatenaLoggingTests", dependencies: ["CatenaLogging", catena, testing, logging], swiftSettings: settings),
        .target(name: "CatenaMetrics", dependencies: [catena, metrics], swiftSettings: settings),
        .testTarget(
            name: "CatenaMetricsTests",
            dependencies: ["CatenaMetrics", catena, testing, metrics, .product(name: "MetricsTestKit", package: "swift-metrics")],
            swiftSettings: settings),
        .target(name: "CatenaTracing", dependencies: [catena, tracing], swiftSettings: settings),
        .testTarget(
            name: "CatenaTracingTests",
            dependencies: [
                "CatenaTracing", catena, testing, tracing, .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
