import Foundation

/// Measures the clients by turns, each time in a new process, so that changes of the machine affect all clients equally.
struct Comparison {
    struct Entry: Hashable, Sendable {
        let scenario: Scenario
        let peer: Peer
    }

    let scenarios: [Scenario]
    let peers: [Peer]
    let rounds: Int
    let effort: Effort
    let server: Server
    /// The path of this program.
    let program: Program

    func run() throws -> Results {
        let entries = scenarios.flatMap { scenario in
            peers.filter { $0.takesPart(in: scenario) }.map { Entry(scenario: scenario, peer: $0) }
        }
        var figures: [Entry: [Figures]] = [:]
        for round in 1...rounds {
            tell("round \(round) of \(rounds), \(entries.count) measurements")
            // Reverse every other round, so that the after-effects of a client, such as a hot processor, do not always affect the same client.
            for entry in round.isMultiple(of: 2) ? entries.reversed() : entries { figures[entry, default: []].append(try measure(entry)) }
        }
        return Results(medians: figures.compactMapValues { Median($0) })
    }

    private func measure(_ entry: Entry) throws -> Figures {
        let scenario = entry.scenario
        var arguments = [
            "measure", "--client", entry.peer.rawValue, "--protocol", scenario.wire.rawValue, "--size", scenario.size.rawValue,
            "--at", "\(scenario.width)", "--seconds", "\(effort.seconds)", "--warm-up", "\(effort.warmUp)",
        ]
        for (wire, address) in server.addresses { arguments += ["--\(wire.rawValue)", address] }
        if let authority = server.authority { arguments += ["--authority", authority] }
        return try Figures(line: try program.run(arguments))
    }
}

/// Prints progress to standard error, apart from the results.
func tell(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
}
