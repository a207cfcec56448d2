// swift-tools-version: 6.1
// What reads bytes from outside, given bytes that libFuzzer makes up. Docs/Internals/Fuzzing.md says how to run it.
import PackageDescription

// The functions that instrumented code calls at each comparison; Steps.c counts the calls.
let comparisons = [1, 2, 4, 8].flatMap { ["cmp\($0)", "const_cmp\($0)"] }

let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Catena", path: "../..")],
    targets: [
        .target(name: "LibFuzzer"),
        .executableTarget(
            name: "Fuzz",
            dependencies: ["LibFuzzer", .product(name: "Catena", package: "Catena"), .product(name: "CatenaTesting", package: "Catena")],
            linkerSettings: [
                // libFuzzer brings a main of its own, and an executable has to have one.
                .unsafeFlags(["-Xlinker", "--allow-multiple-definition"]),
                .unsafeFlags(comparisons.flatMap { ["-Xlinker", "--wrap=__sanitizer_cov_trace_\($0)"] }),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
