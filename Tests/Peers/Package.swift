// swift-tools-version: 6.2
// Compares Catena with other HTTP clients in one run. A package of its own, because Catena itself has no dependencies.
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Peers",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Catena", path: "../.."),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    ],
    targets: [
        .executableTarget(
            name: "start-async-http-client",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"), .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Sources/StartAsyncHTTPClient"),
        .executableTarget(name: "start-catena", dependencies: ["Catena"], path: "Sources/StartCatena"),
        .executableTarget(name: "start-urlsession", path: "Sources/StartURLSession"),
        .target(name: "CurlAlone", linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(
            name: "peers",
            dependencies: [
                "CurlAlone", "Catena",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Sources/Peers", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
