import Foundation

/// What a run has found.
struct Results: Sendable {
    let medians: [Comparison.Entry: Median]

    subscript(_ peer: Peer, _ scenario: Scenario) -> Median? {
        medians[Comparison.Entry(scenario: scenario, peer: peer)]
    }
}

extension Scenario.Wire {
    /// What the clients are measured by: nothing that does the same work can take less.
    var floor: Peer { self == .stub ? .decoderAlone : .curlAlone }
}

extension Results {
    /// How many times as many calls a second one client makes as another.
    func speed(_ peer: Peer, over other: Peer, _ scenario: Scenario) -> Double? {
        ratio(peer, other, scenario, \.callsPerSecond)
    }

    /// How many times as much processor time a call of one client takes as one of another.
    func cost(_ peer: Peer, over other: Peer, _ scenario: Scenario) -> Double? {
        ratio(peer, other, scenario, \.processorTimePerCall)
    }

    private func ratio(_ peer: Peer, _ other: Peer, _ scenario: Scenario, _ figure: (Median) -> Double) -> Double? {
        guard let mine = self[peer, scenario], let theirs = self[other, scenario] else { return nil }
        return figure(mine) / figure(theirs)
    }
}

/// A ratio as it is printed: two decimals up to ten, one beyond.
func written(_ ratio: Double?) -> String {
    guard let ratio else { return "–" }
    return String(format: ratio < 9.995 ? "%.2f" : "%.1f", ratio)
}
