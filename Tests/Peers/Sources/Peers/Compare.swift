import Foundation

/// Runs the whole comparison, or a part of it.
func compare(_ options: Options) throws {
    let isSmoke = options.has("smoke")
    let widths = try (options.text("at") ?? (isSmoke ? "64" : "1,8,64,512,1000")).split(separator: ",").map { word in
        guard let width = Int(word), (1...1000).contains(width) else { throw Problem("--at are numbers from 1 to 1000, with commas.") }
        return width
    }
    let wires: [Scenario.Wire] = try options.choices("protocol", default: isSmoke ? [.http1, .stub] : Scenario.Wire.allCases)
    let sizes: [Scenario.Size] = try options.choices("size", default: isSmoke ? [.small] : Scenario.Size.allCases)
    let comparison = Comparison(
        scenarios: wires.flatMap { wire in
            sizes.flatMap { size in
                // A stub does not wait, so that one call at a time suffices. How many calls run at a time matters most if they are short.
                let widths = wire == .stub ? [1] : size == .small || options.has("at") ? widths : [64]
                return widths.map { Scenario(wire: wire, size: size, width: $0) }
            }
        },
        peers: try options.choices("client", default: Peer.allCases),
        rounds: max(1, try options.value("rounds", default: isSmoke ? 2 : 5)),
        effort: Effort(warmUp: try options.value("warm-up", default: 0.4), seconds: try options.value("seconds", default: 1.0)),
        server: Server(options), program: Program(CommandLine.arguments[0]))
    if let busy = busyShare(), busy > 0.1 {
        tell("Other work takes \(Int(busy * 100)) % of the processors: processor times still say something, calls a second hardly.")
    }
    let results = try comparison.run()
    let listing = Listing(comparison: comparison, results: results).text
    try Documents.write(results, listing: listing, to: URL(fileURLWithPath: options.text("output") ?? ".build-peers/results"))
    if options.has("write-docs") { try Documents.publish(results, in: URL(fileURLWithPath: "Docs")) }
    print(listing)
    print("Goals")
    for goal in Goal.all(results) { print(goal.line) }
}
