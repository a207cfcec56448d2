import ArgumentParser
import Catena
import Foundation

/// A command that calls the forum. Tests run it on their own terminal.
protocol ForumCommand: AsyncParsableCommand {
    var connection: Connection { get }
    func run(on terminal: Terminal) async throws
}

extension ForumCommand {
    mutating func run() async throws {
        try await execute(on: .standard, environment: ProcessInfo.processInfo.environment)
    }

    /// Runs the command, and converts a failed call to a line and an exit code.
    func execute(on terminal: Terminal, environment: [String: String]) async throws {
        try connection.configure(environment, log: .standardError)
        do {
            try await run(on: terminal)
            // The log is written in the background, so wait for it before the process ends.
            await Client.shared.waitUntilIdle()
        } catch let error as APIError {
            await Client.shared.waitUntilIdle()
            terminal.note("rooms: \(error.explained)\n")
            throw error.exitCode
        }
    }
}

extension APIError {
    /// The sentence for the user, or the developer's message if the request was invalid.
    fileprivate var explained: String {
        switch kind {
        case .invalidRequest: message
        case .business: "\(localizedDescription) (code \(code))"
        default: localizedDescription
        }
    }

    /// The exit code, following sysexits.h.
    fileprivate var exitCode: ExitCode {
        switch kind {
        case .invalidRequest: ExitCode(64)
        case .offline, .dns, .connect, .tls, .timeout, .connectionLost, .circuitOpen: ExitCode(69)
        case .file: ExitCode(73)
        case .missingCredential: ExitCode(77)
        default: status == 401 || status == 403 ? ExitCode(77) : .failure
        }
    }
}
