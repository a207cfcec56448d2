#if os(Linux) || os(macOS)
import Foundation

/// The Swift compiler, run against the modules that this test run was built with.
///
/// It compiles the code of callers as they do, in a module outside the package.
struct SwiftCompiler {
    /// An error, at the position that `#sourceLocation` sets.
    struct Complaint: Equatable {
        let file: String
        let line: Int
        let message: String
    }

    /// The last phase that the compiler runs.
    enum Depth {
        case types
        /// Type checking, and then the analysis of control flow and isolation.
        case flow

        fileprivate var options: [String] {
            switch self {
            case .types: ["-typecheck"]
            case .flow: ["-emit-sil", "-o", "/dev/null"]
            }
        }
    }

    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    private let compiler: URL
    private let products: URL

    init() throws {
        compiler = try Self.findCompiler()
        products = try Self.findProducts()
    }

    /// Type-checks sources as one module and gives the errors, and on demand their notes; none means that they compile.
    func typecheck(_ sources: [URL], to depth: Depth = .types, options: [String] = [], notes: Bool = false) throws -> [Complaint] {
        // A whole module needs only one process, however many files there are.
        var arguments = depth.options + ["-whole-module-optimization", "-swift-version", "6", "-module-name", "Caller"]
        arguments += ["-I", products.appending(path: "Modules").path] + (try Self.headers(in: products)) + Self.testingOptions
        let (status, output) = try run(arguments + options + sources.map(\.path))
        let complaints = output.split(separator: "\n").compactMap { Self.complaint($0, notes: notes) }
        guard status == 0 || !complaints.isEmpty else {
            throw Problem(description: "The compiler ended with \(status):\n\(output)")
        }
        return complaints
    }

    /// Type-checks texts, each as its own file in a folder that is removed afterwards.
    func typecheck(_ texts: [String], to depth: Depth = .types, options: [String] = [], notes: Bool = false) throws -> [Complaint] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "catena-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let sources = try texts.enumerated().map { index, text in
            let source = folder.appending(path: "Source\(index).swift")
            try text.write(to: source, atomically: true, encoding: .utf8)
            return source
        }
        return try typecheck(sources, to: depth, options: options, notes: notes)
    }

    /// Compiles sources as one module, and links them with the objects of this build.
    func link(_ sources: [URL], as executable: URL) throws {
        let list = try String(contentsOf: products.appending(path: "CatenaPackageTests.product/Objects.LinkFileList"), encoding: .utf8)
        let objects = list.split(separator: "\n").map { $0.trimmingCharacters(in: ["'", "\""]) }
        let linked = objects.filter { path in
            let module = path.firstMatch(of: /\/(\w+)\.build\//)?.1 ?? ""
            return module.hasPrefix("C") && !module.hasSuffix("Tests")
        }
        var arguments = ["-whole-module-optimization", "-swift-version", "6", "-module-name", "Program", "-o", executable.path]
        arguments += ["-I", products.appending(path: "Modules").path] + (try Self.headers(in: products))
        let (status, output) = try run(arguments + sources.map(\.path) + linked)
        guard status == 0 else { throw Problem(description: "The program could not be built:\n\(output)") }
    }

    /// Writes the public symbols of a module to a folder, as symbol graphs.
    func extractSymbols(of module: String, into folder: URL) throws {
        let program = compiler.deletingLastPathComponent().appending(path: "swift-symbolgraph-extract").path
        var arguments = ["-module-name", module, "-output-dir", folder.path, "-minimum-access-level", "public", "-skip-inherited-docs"]
        arguments += ["-skip-synthesized-members", "-target", try target(), "-I", products.appending(path: "Modules").path]
        let (status, output) = try ChildProcess.run(program, arguments + (try Self.headers(in: products)))
        guard status == 0 else { throw Problem(description: "The symbols of \(module) could not be read: \(output)") }
    }

    private func target() throws -> String {
        let (_, output) = try run(["-print-target-info"])
        guard let match = output.firstMatch(of: /"unversionedTriple" *: *"([^"]+)"/) else {
            throw Problem(description: "The compiler does not say its target: \(output)")
        }
        return String(match.1)
    }

    private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        try ChildProcess.run(compiler.path, arguments)
    }

    /// Reads `file:line:column: error: message`.
    private static func complaint(_ line: Substring, notes: Bool) -> Complaint? {
        let pattern = /(.+?):(\d+):\d+: (error|note): (.+)/
        guard let match = line.wholeMatch(of: pattern), notes || match.3 == "error", let number = Int(match.2) else { return nil }
        return Complaint(file: String(match.1), line: number, message: String(match.4))
    }
}

// MARK: Paths

extension SwiftCompiler {
    private static func findCompiler() throws -> URL {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let candidates = path.split(separator: ":").map { URL(filePath: String($0)).appending(path: "swiftc") }
        guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            throw Problem(description: "There is no swiftc in PATH: \(path)")
        }
        return found
    }

    /// Returns the folder in which the running tests were built, which is the nearest one above the test binary with the modules.
    private static func findProducts() throws -> URL {
        // On Linux the first argument is the test binary; on Apple platforms a helper gets its path as an argument.
        let places = CommandLine.arguments + Bundle.allBundles.map(\.bundlePath)
        for place in places where place.contains(".xctest") {
            var folder = URL(filePath: place)
            while folder.path != "/" {
                folder.deleteLastPathComponent()
                let module = folder.appending(path: "Modules/Catena.swiftmodule")
                if FileManager.default.fileExists(atPath: module.path) { return folder }
            }
        }
        throw Problem(description: "The modules of this test run were not found around \(places).")
    }

    /// Returns the options for the module maps of C targets, which each importer of Catena needs.
    private static func headers(in products: URL) throws -> [String] {
        let files = FileManager.default
        let own = try files.contentsOfDirectory(at: URL.packageRoot.appending(path: "Sources"), includingPropertiesForKeys: nil)
            .map { $0.appending(path: "include/module.modulemap") }
        let generated = try files.contentsOfDirectory(at: products, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "build" }
            .map { $0.appending(path: "module.modulemap") }
        return (own + generated).map(\.path).filter(files.fileExists).flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }

    /// The options that `import Testing` needs. On Linux it needs none, because the module is beside the standard library.
    private static var testingOptions: [String] {
        #if os(macOS)
        let developer = Bundle.allFrameworks.first { $0.bundlePath.hasSuffix("Testing.framework") }
        return developer.map { ["-F", URL(filePath: $0.bundlePath).deletingLastPathComponent().path] } ?? []
        #else
        return []
        #endif
    }
}
#endif
