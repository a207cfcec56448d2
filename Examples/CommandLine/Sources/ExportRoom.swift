import ArgumentParser
import Catena
import Foundation

struct ExportRoom: ForumCommand {
    static let configuration = CommandConfiguration(commandName: "export", abstract: "Saves the messages of a room to a file.")

    @OptionGroup var connection: Connection

    @Argument(help: "The ID of the room.")
    var room: Int

    @Option(name: .shortAndLong, help: "The file (default: room-ID.json).")
    var output: String?

    func run(on terminal: Terminal) async throws {
        let file = URL(filePath: output ?? "room-\(room).json")
        let download = try await Forum.export(room, to: file) { progress in
            guard terminal.isWatched else { return }
            let done = progress.fraction.map { "\(Int($0 * 100)) %" } ?? "\(progress.completed) bytes"
            terminal.note("\r\(file.lastPathComponent): \(done)")
        }
        // Progress is delivered on the main actor, so the line ends there after the last progress.
        if terminal.isWatched { await MainActor.run { terminal.note("\n") } }
        terminal.print("\(download.url.path(percentEncoded: false)): \(download.byteCount) bytes")
    }
}
