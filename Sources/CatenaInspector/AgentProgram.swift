import Catena
import Foundation

/// The program `catena-mcp`: it speaks the Model Context Protocol over stdin and stdout, one message at a time.
package enum AgentProgram {
    /// Runs until the end of stdin. Returns the exit code.
    package static func run(_ arguments: [String]) async -> Int32 {
        guard arguments.count <= 1, arguments.first?.hasPrefix("-") != true else {
            FileHandle.standardError.write(Data("usage: catena-mcp [APP | PORT]\n".utf8))
            return 2
        }
        let home = URL(filePath: NSHomeDirectory())
        let finder = InspectorFinder(in: { InspectorFinder.usualFolders(home: home) }, wanted: arguments.first)
        let lines = AgentLines {
            let byte = getchar()
            return byte < 0 ? nil : UInt8(truncatingIfNeeded: byte)
        }
        do {
            try await serve(lines, AgentBridge(finder).agents) { try FileHandle.standardOutput.write(contentsOf: $0) }
            return 0
        } catch {
            // The agent reads no more.
            return 1
        }
    }

    /// Answers each line before it reads the next one.
    static func serve(_ lines: AgentLines, _ agents: AgentProtocol, write: (Data) throws -> Void) async throws {
        while let line = lines.next() {
            let answer: Data? =
                switch line {
                case .message(let bytes): await agents.reply(to: bytes).bytes
                case .tooLong: AgentFault.tooLong.message
                }
            if let answer { try write(answer + Data("\n".utf8)) }
        }
    }
}
