// swift-tools-version: 6.1
// Integrations of Catena with common server packages. A package of its own, because Catena itself has no dependencies.
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let catena = Target.Dependency.product(name: "Catena", package: "Catena")
let fleet = Target.Dependency.product(name: "CatenaFleet", package: "Catena")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let nio = [
    Target.Dependency.product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
    .product(name: "NIOHTTP2", package: "swift-nio-http2"),
    .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
    .product(name: "NIOPosix", package: "swift-nio"),
]
let ssl = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let testKit = Target.Dependency.product(name: "MetricsTestKit", package: "swift-metrics")
let testing = Target.Dependency.product(name: "CatenaTesting", package: "Catena")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")

let package = Package(
    name: "CatenaIntegrations",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "CatenaAsyncHTTPClient", targets: ["CatenaAsyncHTTPClient"]),
        .library(name: "CatenaHTTPTypes", targets: ["CatenaHTTPTypes"]),
        .library(name: "CatenaLogging", targets: ["CatenaLogging"]),
        .library(name: "CatenaMetrics", targets: ["CatenaMetrics"]),
        .library(name: "CatenaRedis", targets: ["CatenaRedis"]),
        .library(name: "CatenaTracing", targets: ["CatenaTracing"]),
    ],
    dependencies: [
        .package(name: "Catena", path: ".."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    ],
    targets: [
        .target(
            name: "CatenaAsyncHTTPClient", dependencies: [catena, asyncHTTPClient, ssl] + nio, swiftSettings: settings),
        // Support for the transport tests that are shared with Catena's own package.
        .target(
            name: "TestSupport", dependencies: [.product(name: "NIOConcurrencyHelpers", package: "swift-nio")], path: "Tests/TestSupport",
            swiftSettings: settings),
        .testTarget(
            name: "CatenaAsyncHTTPClientTests",
            dependencies: ["CatenaAsyncHTTPClient", "TestSupport", catena, testing, asyncHTTPClient, ssl],
            swiftSettings: settings),
        .target(name: "CatenaHTTPTypes", dependencies: [catena, httpTypes], swiftSettings: settings),
        .testTarget(name: "CatenaHTTPTypesTests", dependencies: ["CatenaHTTPTypes", catena, testing, httpTypes], swiftSettings: settings),
        .target(name: "CatenaLogging", dependencies: [catena, logging], swiftSettings: settings),
        .testTarget(name: "CatenaLoggingTests", dependencies: ["CatenaLogging", catena, testing, logging], swiftSettings: settings),
        .target(name: "CatenaMetrics", dependencies: [catena, metrics], swiftSettings: settings),
        .testTarget(
            name: "CatenaMetricsTests", dependencies: ["CatenaMetrics", catena, testing, metrics, testKit], swiftSettings: settings),
        // Empty on other platforms than Linux.
        .target(name: "CatenaRedis", dependencies: [catena, fleet], swiftSettings: settings),
        // A process of the fleet that the tests of CatenaRedis start.
        .executableTarget(name: "fleet-member", dependencies: ["CatenaRedis", catena, fleet], swiftSettings: settings),
        .testTarget(
            name: "CatenaRedisTests", dependencies: ["CatenaRedis", "fleet-member", catena, fleet, testing], swiftSettings: settings),
        .target(name: "CatenaTracing", dependencies: [catena, tracing], swiftSettings: settings),
        .testTarget(
            name: "CatenaTracingTests",
            dependencies: [
                "CatenaTracing", catena, testing, tracing, .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: settings),
        // The code of Docs/Integrations.md.
        .testTarget(
            name: "GuideTests",
            dependencies: [
                "CatenaAsyncHTTPClient", "CatenaHTTPTypes", "CatenaLogging", "CatenaMetrics", "CatenaRedis", "CatenaTracing", catena,
                fleet, testing,
                asyncHTTPClient, httpTypes, logging, metrics, testKit,
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
