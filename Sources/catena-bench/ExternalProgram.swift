import Foundation

/// A program of the system, for comparisons.
struct ExternalProgram {
    struct Failure: Error {
        let status: Int32
    }

    private let path: String

    /// Finds a program, or returns `nil` if it is not installed.
    init?(_ name: String) {
        let paths = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(name)" }
        guard let path = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else { return nil }
        self.path = path
    }

    /// Returns the output of the program. Throws if the program fails.
    @discardableResult
    func run(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
        return String(decoding: output, as: UTF8.self)
    }
}
