// swift-tools-version: 6.1
// Endpoints by macros. A package of its own: whoever depends on it fetches and builds swift-syntax, and nobody else does.
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
        // Each version belongs to one of the compiler's, and reads the Swift of all before it.
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"700.0.0"),
    ],
    targets: [
        .macro(
            name: "EndpointMacros",
            dependencies: syntax("SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros"),
            swiftSettings: settings),
        .target(name: "CatenaMacros", dependencies: ["EndpointMacros", catena], swiftSettings: settings),
        // What the macros write and say. These tests run in the compiler's place and send nothing.
        .testTarget(
            name: "EndpointMacrosTests",
            dependencies: ["EndpointMacros"]
                + syntax("SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacroExpansion")
                + syntax("SwiftSyntaxMacros", "SwiftSyntaxMacrosGenericTestSupport"),
            swiftSettings: settings),
        // What is written sends.
        .testTarget(name: "CatenaMacrosTests", dependencies: ["CatenaMacros", catena, testing], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
