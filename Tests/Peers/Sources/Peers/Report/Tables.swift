/// The ratios in Markdown. The figures are not published, because they depend on the machine.
struct Tables {
    let results: Results
    let words: Words

    private var wires: [Scenario.Wire] { Scenario.Wire.allCases.filter { $0 != .stub } }

    /// All tables.
    var text: String {
        let tables = Scenario.Size.allCases.flatMap { size in wires.compactMap { beside($0, size) } }
        return ([multiples(wires)] + tables + [stub]).compactMap { $0 }.joined(separator: "\n")
    }

    /// The table for the guide: the processor time of a call, 64 at a time, for small and large responses.
    var summary: String {
        let peers: [Peer] = [.catenaData, .catenaValue, .asyncHTTPClient, .asyncHTTPClientJSON, .urlSession, .urlSessionJSON]
        let rows = [Scenario.Size.small, .hundredKilobytes].flatMap { size in
            wires.map { wire in
                let scenario = Scenario(wire: wire, size: size, width: 64)
                return ["\(words.wire(wire)), \(words.size(size))"] + peers.map { written(results.cost($0, over: .curlAlone, scenario)) }
            }
        }
        return words.summary + "\n\n" + table([""] + peers.map(words.client), rows)
    }

    /// Returns the table that compares every client with libcurl.
    private func beside(_ wire: Scenario.Wire, _ size: Scenario.Size) -> String? {
        let scenarios = scenarios(wire, size).filter { results[wire.floor, $0] != nil }
        guard !scenarios.isEmpty else { return nil }
        let head = [""] + [words.speed, words.cost].flatMap { figure in scenarios.map { "\(figure), \(counted($0.width))" } }
        let rows = Peer.allCases.filter { peer in scenarios.contains { results[peer, $0] != nil } }.map { peer in
            [words.client(peer)] + scenarios.map { written(results.speed(peer, over: wire.floor, $0)) }
                + scenarios.map { written(results.cost(peer, over: wire.floor, $0)) }
        }
        return words.beside(words.wire(wire), words.size(size)) + "\n\n" + table(head, rows)
    }

    /// Returns the table that compares Catena with each other client.
    private func multiples(_ wires: [Scenario.Wire]) -> String? {
        let pairs: [(Peer, Peer)] = [
            (.catenaData, .asyncHTTPClient), (.catenaValue, .asyncHTTPClientJSON), (.catenaData, .urlSession),
            (.catenaValue, .urlSessionJSON),
        ]
        let widths = Set(wires.flatMap { scenarios($0, .small) }.map(\.width)).filter { $0 <= 512 }.sorted()
        let rows = wires.flatMap { wire in
            pairs.compactMap { peer, other -> [String]? in
                let ratios = widths.map { results.speed(peer, over: other, Scenario(wire: wire, size: .small, width: $0)) }
                guard ratios.contains(where: { $0 != nil }) else { return nil }
                return ["\(words.wire(wire)): \(words.client(peer)) \(words.over) \(words.client(other))"] + ratios.map(written)
            }
        }
        guard !rows.isEmpty else { return nil }
        return words.multiples + "\n\n" + table([""] + widths.map(counted), rows)
    }

    private var stub: String? {
        let rows = Scenario.Size.allCases.flatMap { size in
            [Peer.catenaData, .catenaPromise, .catenaValue].compactMap { peer -> [String]? in
                let scenario = Scenario(wire: .stub, size: size, width: 1)
                guard let ratio = results.cost(peer, over: .decoderAlone, scenario), let median = results[peer, scenario] else {
                    return nil
                }
                // Less than a hundredth is the noise of the system.
                let switches = median.switchesPerCall < 0.01 ? "0" : written(median.switchesPerCall)
                return ["\(words.client(peer)), \(words.size(size))", written(ratio), switches]
            }
        }
        guard !rows.isEmpty else { return nil }
        return words.stub + "\n\n" + table(["", words.cost, words.switches], rows)
    }

    private func scenarios(_ wire: Scenario.Wire, _ size: Scenario.Size) -> [Scenario] {
        Set(results.medians.keys.map(\.scenario)).filter { $0.wire == wire && $0.size == size }.sorted { $0.width < $1.width }
    }

    private func counted(_ width: Int) -> String { width == 1000 ? "1,000" : "\(width)" }

    private func table(_ head: [String], _ rows: [[String]]) -> String {
        let line = "|" + String(repeating: "---|", count: head.count)
        return ([row(head), line] + rows.map(row)).joined(separator: "\n") + "\n"
    }

    private func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
}
