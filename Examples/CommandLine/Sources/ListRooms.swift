import ArgumentParser
import Catena
import Foundation

struct ListRooms: ForumCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the rooms.")

    @OptionGroup var connection: Connection

    @Option(help: "List only rooms whose names contain this text.")
    var search: String?

    @Option(help: "List no more rooms than this.")
    var limit = 100

    @Flag(help: "Print one JSON object per line in place of a table.")
    var json = false

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
    }

    func run(on terminal: Terminal) async throws {
        let rooms = Forum.rooms(matching: search).prefix(limit)
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            for try await room in rooms { terminal.print(String(decoding: try encoder.encode(room), as: UTF8.self)) }
            return
        }
        var table = Table(["ID", "NAME", "MEMBERS"])
        for try await room in rooms { table.add(["\(room.id)", room.name, "\(room.members)"]) }
        table.lines.forEach(terminal.print)
        if table.isEmpty { terminal.note("There are no such rooms.\n") }
    }
}
