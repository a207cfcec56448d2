// swift-tools-version: 6.1
// Fuzzes the parsers of external bytes with libFuzzer. Docs/Internals/Fuzzing.md describes how to run it.
import PackageDescription

// The functions that instrumented code calls at each comparison. Steps.c counts the calls.
let comparisons = [1, 2, 4, 8].flatMap { ["cmp\($0)", "const_cmp\($0)"] }

let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Catena", path: "../..")],
    targets: [
        .target(name: "LibFuzzer"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "LibFuzzer", .product(name: "Catena", package: "Catena"), .product(name: "CatenaArchive", package: "Catena"),
                .product(name: "CatenaFleet", package: "Catena"),
                .product(name: "CatenaInspector", package: "Catena"), .product(name: "CatenaRules", package: "Catena"),
                .product(name: "CatenaTesting", package: "Catena"),
            ],
            linkerSettings: [
                // An executable needs a `main`, and libFuzzer has another.
                .unsafeFlags(["-Xlinker", "--allow-multiple-definition"]),
                .unsafeFlags(comparisons.flatMap { ["-Xlinker", "--wrap=__sanitizer_cov_trace_\($0)"] }),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
