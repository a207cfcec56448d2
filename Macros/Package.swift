// swift-tools-version: 6.1
// Endpoints by macros. A package of its own, so that only its users fetch and build swift-syntax.
import CompilerPluginSupport
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let catena = Target.Dependency.product(name: "Catena", package: "Catena")
let testing = Target.Dependency.product(name: "CatenaTesting", package: "Catena")

func syntax(_ names: String...) -> [Target.Dependency] {
    names.map { .product(name: $0, package: "swift-syntax") }
}

let package = Package(
    name: "CatenaMacros",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [.library(name: "CatenaMacros", targets: ["CatenaMacros"])],
    dependencies: [
        .package(name: "Catena", path: ".."),
        // Each major version of swift-syntax belongs to a version of the compiler, and parses the Swift of earlier ones, too.
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"700.0.0"),
    ],
    targets: [
        .macro(
            name: "EndpointMacros",
            dependencies: syntax("SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros"),
            swiftSettings: settings),
        .target(name: "CatenaMacros", dependencies: ["EndpointMacros", catena], swiftSettings: settings),
        // The expansions and diagnostics of the macros. These tests run without the compiler and send nothing.
        .testTarget(
            name: "EndpointMacrosTests",
            dependencies: ["EndpointMacros"]
                + syntax("SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacroExpansion")
                + syntax("SwiftSyntaxMacros", "SwiftSyntaxMacrosGenericTestSupport"),
            swiftSettings: settings),
        // The calls of expanded endpoints.
        .testTarget(name: "CatenaMacrosTests", dependencies: ["CatenaMacros", catena, testing], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
