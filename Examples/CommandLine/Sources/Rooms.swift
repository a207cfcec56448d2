import ArgumentParser

/// The program: lists, creates and exports the rooms of a forum.
@main
struct Rooms: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rooms",
        abstract: "Lists, creates and exports the rooms of a forum.",
        discussion: """
            Results go to standard output, everything else to standard error. The exit code is 0 for a success, 64 for a wrong use, 69 if the \
            forum cannot be reached, 73 if a file cannot be written, 77 if the forum does not accept the token, and 1 for any other failure.
            """,
        subcommands: [ListRooms.self, CreateRoom.self, ExportRoom.self])
}
