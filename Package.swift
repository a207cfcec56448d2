// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// The files with the transport over URLSession, and what else needs full Foundation, belong to Catena on Apple platforms and to CatenaURLSession elsewhere.
let apple: [Platform] = [.macOS, .iOS, .tvOS, .watchOS, .visionOS, .macCatalyst]
let others: [Platform] = [.linux, .android]

// Apple's privacy manifest. On other platforms a resource would only add a bundle to each program.
#if canImport(Darwin)
let manifest = (resources: [Resource.process("PrivacyInfo.xcprivacy")], excluded: [String]())
#else
let manifest = (resources: [Resource](), excluded: ["PrivacyInfo.xcprivacy"])
#endif

// Each folder of the library has a README, which is no source.
let folders = ["Values", "Reading", "Sending", "Describing", "Watching", "Running", "Using"]

let package = Package(
    name: "Catena",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Catena", targets: ["Catena"]),
        // For Linux systems without a fitting libcurl.
        .library(name: "CatenaURLSession", targets: ["CatenaURLSession"]),
        .library(name: "CatenaArchive", targets: ["CatenaArchive"]),
        .library(name: "CatenaFleet", targets: ["CatenaFleet"]),
        .library(name: "CatenaRules", targets: ["CatenaRules"]),
        .library(name: "CatenaSigners", targets: ["CatenaSigners"]),
        .library(name: "CatenaTesting", targets: ["CatenaTesting"]),
        .library(name: "CatenaInspector", targets: ["CatenaInspector"]),
        // A product, so that it can be run from the package of an app.
        .executable(name: "catena-mcp", targets: ["catena-mcp"]),
    ],
    targets: [
        // On platforms other than Linux, CCurl and COpenSSL compile to nothing.
        .target(name: "CCurl"),
        .target(name: "COpenSSL"),
        // The vector instructions of the JSON scanner, on every platform.
        .target(name: "CScan"),
        // Foundation, or its essentials on Linux, and the C library.
        .target(name: "CatenaPlatform", exclude: ["README.md"], swiftSettings: settings),
        .target(name: "CatenaPromise", dependencies: ["CatenaPlatform"], exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "Catena",
            dependencies: ["CScan", "CatenaPlatform", "CatenaPromise", .target(name: "CCurl", condition: .when(platforms: [.linux]))],
            exclude: manifest.excluded + ["README.md"] + folders.map { $0 + "/README.md" }, resources: manifest.resources,
            swiftSettings: settings + [.define("CATENA_SESSION", .when(platforms: apple))]),
        .target(
            name: "CatenaURLSession", dependencies: ["Catena", "CatenaPromise"], exclude: ["README.md"],
            swiftSettings: settings + [.define("CATENA_SESSION", .when(platforms: others))]),
        // Calls recorded as HAR.
        .target(
            name: "CatenaArchive", dependencies: ["Catena", "CatenaPlatform", "CatenaPromise"], exclude: ["README.md"],
            swiftSettings: settings),
        // State that several machines share.
        .target(
            name: "CatenaFleet", dependencies: ["Catena", "CatenaPlatform", "CatenaPromise"], exclude: ["README.md"],
            swiftSettings: settings),
        // Calls described in files.
        .target(
            name: "CatenaRules", dependencies: ["Catena", "CatenaPlatform", "CatenaPromise"], exclude: ["README.md"],
            swiftSettings: settings),
        // Signers of AWS, WeChat Pay and Alipay. CCurl also binds the RSA of OpenSSL.
        .target(
            name: "CatenaSigners",
            dependencies: ["Catena", "CatenaPlatform", .target(name: "CCurl", condition: .when(platforms: [.linux]))],
            exclude: ["README.md"],
            swiftSettings: settings),
        // The small server of tests and of the inspector.
        .target(
            name: "CatenaLoopback",
            dependencies: ["Catena", "CatenaPlatform", "CatenaPromise", .target(name: "COpenSSL", condition: .when(platforms: [.linux]))],
            exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "CatenaTesting", dependencies: ["Catena", "CatenaArchive", "CatenaLoopback", "CatenaPlatform", "CatenaPromise"],
            exclude: ["README.md"],
            swiftSettings: settings),
        // The page is copied as files, which can be changed and read separately and need no compilation.
        .target(
            name: "CatenaInspector", dependencies: ["Catena", "CatenaArchive", "CatenaLoopback", "CatenaPromise"], exclude: ["README.md"],
            resources: [.copy("Page")], swiftSettings: settings),
        .executableTarget(
            name: "catena-demo", dependencies: ["Catena", "CatenaInspector", "CatenaRules", "CatenaTesting", "CatenaURLSession"],
            exclude: ["README.md"],
            swiftSettings: settings),
        .executableTarget(name: "catena-mcp", dependencies: ["CatenaInspector"], exclude: ["README.md"], swiftSettings: settings),
        .executableTarget(
            name: "catena-bench", dependencies: ["Catena", "CatenaInspector", "CatenaTesting", "CatenaURLSession", "DecodingDifference"],
            exclude: ["README.md"], swiftSettings: settings),
        // Helpers with which the tests wait.
        .target(
            name: "TestSupport", dependencies: ["CatenaPromise", "CatenaURLSession"], path: "Tests/TestSupport", swiftSettings: settings),
        // Random types and texts, decoded in two ways.
        .target(
            name: "DecodingDifference", dependencies: ["Catena", "CatenaTesting"], path: "Tests/DecodingDifference",
            swiftSettings: settings),
        .testTarget(name: "CatenaPromiseTests", dependencies: ["CatenaPromise", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "CatenaTests",
            dependencies: [
                "CScan", "Catena", "CatenaArchive", "CatenaFleet", "CatenaInspector", "CatenaLoopback", "CatenaPromise", "CatenaRules",
                "CatenaSigners",
                "CatenaTesting", "CatenaURLSession",
                "DecodingDifference", "TestSupport",
            ], swiftSettings: settings),
        .testTarget(
            name: "CatenaArchiveTests", dependencies: ["Catena", "CatenaArchive", "CatenaPromise", "CatenaTesting", "TestSupport"],
            swiftSettings: settings),
        .testTarget(name: "CatenaFleetTests", dependencies: ["Catena", "CatenaFleet", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "CatenaRulesTests", dependencies: ["Catena", "CatenaRules", "CatenaTesting", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "CatenaSignersTests", dependencies: ["Catena", "CatenaPromise", "CatenaSigners", "CatenaTesting", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "CatenaTestingTests",
            dependencies: ["Catena", "CatenaLoopback", "CatenaPromise", "CatenaRules", "CatenaTesting", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "CatenaInspectorTests",
            dependencies: ["Catena", "CatenaInspector", "CatenaLoopback", "CatenaPromise", "CatenaTesting", "TestSupport"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
