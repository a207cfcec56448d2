// swift-tools-version: 6.2
// Code of users, compiled in its own package, as users compile it.
import PackageDescription

let systems = ["DanXi", "RFAPI", "XAPI", "Yana", "YooMoney"]

let rules = Target.Dependency.product(name: "CatenaRules", package: "Catena")

let package = Package(
    name: "Consumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Catena", path: "../..")],
    targets: [
        .target(name: "CallSite", dependencies: ["Catena", rules]),
        .target(name: "MainActorCallSite", dependencies: ["Catena", rules], swiftSettings: [.defaultIsolation(MainActor.self)]),
        .executableTarget(
            name: "Attacks",
            dependencies: [
                "Catena", .product(name: "CatenaInspector", package: "Catena"), .product(name: "CatenaTesting", package: "Catena"),
                .product(name: "CatenaURLSession", package: "Catena"),
            ]),
        .executableTarget(name: "Misuse", dependencies: ["Catena"]),
        .executableTarget(name: "Servers", dependencies: ["Catena"]),
        .executableTarget(name: "Waiting", dependencies: ["Catena"]),
        .executableTarget(
            name: "Systems",
            dependencies: ["Catena", .product(name: "CatenaTesting", package: "Catena")] + systems.map { .byName(name: $0) },
            path: "Sources/Checks"),
    ] + systems.map { .target(name: $0, dependencies: ["Catena", rules], path: "Sources/Systems/\($0)") },
    swiftLanguageModes: [.v6]
)
