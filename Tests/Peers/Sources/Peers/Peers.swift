import Foundation

/// Compares Catena with other HTTP clients. `Tests/Peers/run` starts it with the servers.
@main
enum Peers {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("peers: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        let options = try Options(arguments.dropFirst())
        switch arguments.first {
        case "payload":
            print(String(decoding: Payloads.bytes(of: try options.choice("size")), as: UTF8.self), terminator: "")
        case "measure":
            let scenario = Scenario(
                wire: try options.choice("protocol", default: .http1), size: try options.choice("size", default: .small),
                width: try options.value("at", default: 64))
            let effort = Effort(
                warmUp: try options.value("warm-up", default: 0.4), seconds: try options.value("seconds", default: 1.0))
            let client: Peer = try options.choice("client")
            let figures = try await client.measure(scenario, at: Server(options), effort: effort)
            print(try figures.line())
        case "compare":
            try compare(options)
        case "start":
            let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            try Start.compare(in: folder, rounds: try options.value("rounds", default: 50))
        default:
            throw Problem("The commands are payload, measure, compare and start; Tests/Peers/run knows how.")
        }
    }
}
