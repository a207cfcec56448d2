import ArgumentParser

struct CreateRoom: ForumCommand {
    static let configuration = CommandConfiguration(commandName: "create", abstract: "Creates a room and prints its ID.")

    @OptionGroup var connection: Connection

    @Argument(help: "The name of the room.")
    var name: String

    func run(on terminal: Terminal) async throws {
        terminal.print("\(try await Forum.create(name).id)")
    }
}
