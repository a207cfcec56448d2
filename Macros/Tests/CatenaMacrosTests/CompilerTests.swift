#if os(Linux)
import Foundation
import Testing

/// Tests the compiler's errors where a macro cannot see the actual type.
@Suite("What the compiler says") struct CompilerTests {
    @Test(
        "a type that does not fit is an error in words",
        arguments: [
            ("let room: Name", "a property that fills a placeholder is not optional"),
            ("var room = [1]", "a property that fills a placeholder is a single value"),
            ("var room = Unfit()", "a property that is sent is a ParameterValue or Encodable"),
            ("let room: String; let more: Unfit?", "a property that is sent is a ParameterValue or Encodable"),
            ("let room: String; @Header(\"A\") let more: Unfit", "a header is text, a number or a boolean"),
            ("let room: String; @Body let more: Unfit", "a body is Encodable and Sendable, or Params"),
        ])
    func unfit(properties: String, message: String) throws {
        let output = try compile(
            """
            import Catena
            import CatenaMacros
            typealias Name = String?
            struct Unfit: Sendable {}
            @Post("/rooms/{room}") struct Room { typealias Response = JSON; \(properties) }
            """)
        #expect(output.contains("is unavailable: \(message)"), "\(output)")
        #expect(output.matches(of: /\d: error:/).count == 1, "\(output)")
    }

    @Test("what fits is none")
    func fitting() throws {
        let output = try compile(
            """
            import Catena
            import CatenaMacros
            @available(macOS 15, *) @Get("/a") public struct Seen<Value: Encodable & Sendable> {
                public typealias Response = Void
                let value: Value?
                let query: String
                let body: String
                let tag: String
                var count: Int { didSet {} }
            }
            """)
        #expect(output.isEmpty, "\(output)")
    }

    /// Returns the compiler's output for a source that uses the modules and macros of this test run.
    private func compile(_ source: String) throws -> String {
        let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let folder = FileManager.default.temporaryDirectory.appending(path: "catena-macros-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "Source.swift")
        try source.write(to: file, atomically: true, encoding: .utf8)

        // Macros and the tests with them are built for the host, with the suffix `-tool`.
        let path = { (name: String) in products.appending(path: name).path }
        var arguments = ["swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-I", path("Modules-tool")]
        for module in ["CCurl", "COpenSSL", "CScan"] {
            arguments += ["-Xcc", "-fmodule-map-file=\(path("\(module)-tool.build/module.modulemap"))"]
        }
        arguments += ["-load-plugin-executable", path("EndpointMacros-tool") + "#EndpointMacros", file.path]
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(bytes: output, encoding: .utf8) ?? ""
    }
}
#endif
