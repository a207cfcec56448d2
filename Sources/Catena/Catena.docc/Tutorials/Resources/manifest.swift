// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Rooms",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(url: "https://git.example.com/catena.git", branch: "main")
    ],
    targets: [
        .target(name: "RoomsKit", dependencies: [.product(name: "Catena", package: "catena")]),
        .executableTarget(name: "rooms", dependencies: ["RoomsKit"]),
        .testTarget(
            name: "RoomsKitTests", dependencies: ["RoomsKit", .product(name: "CatenaTesting", package: "catena")]),
    ]
)
