import Foundation

/// The results of a run.
struct Results: Sendable {
    let medians: [Comparison.Entry: Median]

    subscript(_ peer: Peer, _ scenario: Scenario) -> Median? {
        medians[Comparison.Entry(scenario: scenario, peer: peer)]
    }
}

extension Scenario.Wire {
    /// The reference of the clients, whose cost no client that does the same work can undercut.
    var floor: Peer { self == .stub ? .decoderAlone : .curlAlone }
}

extension Results {
    /// Returns the ratio of the calls per second of one client to those of another.
    func speed(_ peer: Peer, over other: Peer, _ scenario: Scenario) -> Double? {
        ratio(peer, other, scenario, \.callsPerSecond)
    }

    /// Returns the ratio of the processor times per call of one client and another.
    func cost(_ peer: Peer, over other: Peer, _ scenario: Scenario) -> Double? {
        ratio(peer, other, scenario, \.processorTimePerCall)
    }

    private func ratio(_ peer: Peer, _ other: Peer, _ scenario: Scenario, _ figure: (Median) -> Double) -> Double? {
        guard let mine = self[peer, scenario], let theirs = self[other, scenario] else { return nil }
        return figure(mine) / figure(theirs)
    }
}

/// Returns the text of a ratio, with two decimals below ten and one decimal otherwise.
func written(_ ratio: Double?) -> String {
    guard let ratio else { return "–" }
    return String(format: ratio < 9.995 ? "%.2f" : "%.1f", ratio)
}
