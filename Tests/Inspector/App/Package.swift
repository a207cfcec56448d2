// swift-tools-version: 6.1
// The app whose inspector the browser tests open. A package of its own, as an app would be.
import PackageDescription

let package = Package(
    name: "InspectedApp",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Catena", path: "../../..")],
    targets: [
        .executableTarget(
            name: "InspectedApp",
            dependencies: [
                "Catena", .product(name: "CatenaInspector", package: "Catena"), .product(name: "CatenaTesting", package: "Catena"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
