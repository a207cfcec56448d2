import Foundation

/// A program that runs to its end, with a time limit of a minute.
struct Program {
    private let command: [String]

    /// - Parameter name: A path, or a name to search for in the PATH.
    init(_ name: String) {
        command = ["timeout", "60", name]
    }

    /// Returns the output. Throws if the program fails. Passes its standard error on.
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
