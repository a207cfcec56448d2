// swift-tools-version: 6.1
// Programs with a call, without it and with each product in addition, built as an app's package builds them. `.ci/size` compares their sizes.
import PackageDescription

let package = Package(
    name: "Size",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Catena", path: "../..")],
    targets: [
        .executableTarget(name: "NoCall", path: "Sources/NoCall"),
        .executableTarget(name: "Start", dependencies: ["Catena"], path: "Sources/Start"),
        .executableTarget(name: "OneCall", dependencies: ["Catena"], path: "Sources/OneCall"),
        .executableTarget(
            name: "WithArchive", dependencies: ["Catena", .product(name: "CatenaArchive", package: "Catena")], path: "Sources/WithArchive"),
        .executableTarget(
            name: "WithFleet", dependencies: ["Catena", .product(name: "CatenaFleet", package: "Catena")], path: "Sources/WithFleet"),
        .executableTarget(
            name: "WithRules", dependencies: ["Catena", .product(name: "CatenaRules", package: "Catena")], path: "Sources/WithRules"),
        .executableTarget(
            name: "WithSigners", dependencies: ["Catena", .product(name: "CatenaSigners", package: "Catena")], path: "Sources/WithSigners"),
    ],
    swiftLanguageModes: [.v6]
)
