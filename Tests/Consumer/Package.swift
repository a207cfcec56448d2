// swift-tools-version: 6.2
// Code of users, compiled in its own package, as users compile it.
import PackageDescription

let systems = ["DanXi", "RFAPI", "XAPI", "Yana", "YooMoney"]

let package = Package(
    name: "Consumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Catena", path: "../..")],
    targets: [
        .target(name: "CallSite", dependencies: ["Catena"]),
        .target(name: "MainActorCallSite", dependencies: ["Catena"], swiftSettings: [.defaultIsolation(MainActor.self)]),
        .executableTarget(name: "Misuse", dependencies: ["Catena"]),
        .executableTarget(
            name: "Systems",
            dependencies: ["Catena", .product(name: "CatenaTesting", package: "Catena")] + systems.map { .byName(name: $0) },
            path: "Sources/Checks"),
    ] + systems.map { .target(name: $0, dependencies: ["Catena"], path: "Sources/Systems/\($0)") },
    swiftLanguageModes: [.v6]
)
