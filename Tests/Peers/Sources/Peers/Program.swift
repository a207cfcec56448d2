import Foundation

/// A program that is run to its end, for a minute at most.
struct Program {
    private let command: [String]

    /// - Parameter name: A path, or a name to be looked for as the shell does.
    init(_ name: String) {
        command = ["timeout", "60", name]
    }

    /// What it prints; throws if it fails. What it says of errors is passed on.
    func run(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Problem("\(command.dropFirst(2).joined()) \(arguments.joined(separator: " ")): exit status \(process.terminationStatus)")
        }
        return String(decoding: output, as: UTF8.self)
    }
}
