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

let package = Package(
    name: "CatenaIntegrations",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "CatenaLogging", targets: ["CatenaLogging"]),
    ],
    dependencies: [
        .package(name: "Catena", path: ".."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .target(name: "CatenaLogging", dependencies: [catena, logging], swiftSettings: settings),
        .testTarget(name: "CatenaLoggingTests", dependencies: ["CatenaLogging", catena, testing, logging], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
