import Foundation

/// The figures for the terminal. Only ratios are published, because the figures depend on the machine.
struct Listing {
    let comparison: Comparison
    let results: Results

    var text: String {
        comparison.scenarios.compactMap(section(of:)).joined(separator: "\n")
    }

    private func section(of scenario: Scenario) -> String? {
        let rows = comparison.peers.compactMap { peer in
            results[peer, scenario].map { row(peer, $0, alone: alone(in: scenario)) }
        }
        guard !rows.isEmpty else { return nil }
        let title = "\(scenario.wire.title), \(scenario.size.title), \(scenario.width) at a time"
        let head = padded(title, 48) + padded("calls/s", -10) + padded("us/call", -10) + padded("x alone", -11) + padded("switches", -10)
        return ([head] + rows).joined(separator: "\n") + "\n"
    }

    private func alone(in scenario: Scenario) -> Median? {
        results[scenario.wire.floor, scenario]
    }

    private func row(_ peer: Peer, _ median: Median, alone: Median?) -> String {
        let multiple = alone.map { String(format: "%.2f", median.processorTimePerCall / $0.processorTimePerCall) } ?? ""
        return padded("  " + peer.title, 48) + padded(String(format: "%.0f", median.callsPerSecond), -10)
            + padded(String(format: "%.1f", median.processorTimePerCall), -10) + padded(multiple, -11)
            + padded(String(format: "%.3f", median.switchesPerCall), -10)
    }

    /// Pads a text with spaces after it, or before it if the width is negative.
    private func padded(_ text: String, _ width: Int) -> String {
        let blanks = String(repeating: " ", count: max(0, abs(width) - text.count))
        return width < 0 ? blanks + text : text + blanks
    }
}
