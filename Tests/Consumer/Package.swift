// swift-tools-version: 6.2
// What callers write, compiled as callers compile it: from packages of their own.
import PackageDescription

let package = Package(
    name: "Consumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Catena", path: "../..")],
    targets: [
        .target(name: "CallSite", dependencies: ["Catena"]),
        .target(name: "MainActorCallSite", dependencies: ["Catena"], swiftSettings: [.defaultIsolation(MainActor.self)]),
        .executableTarget(name: "Misuse", dependencies: ["Catena"]),
    ],
    swiftLanguageModes: [.v6]
)
