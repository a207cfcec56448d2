import Foundation

/// What one measurement of one client gave.
struct Figures: Codable, Sendable {
    var calls: Int
    var seconds: Double
    var processorSeconds: Double
    var contextSwitches: Int

    var callsPerSecond: Double { Double(calls) / seconds }
    /// In microseconds.
    var processorTimePerCall: Double { processorSeconds / Double(calls) * 1e6 }
    var switchesPerCall: Double { Double(contextSwitches) / Double(calls) }
}

extension Figures {
    /// One line, for whoever started the process.
    func line() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    init(line: String) throws {
        self = try JSONDecoder().decode(Figures.self, from: Data(line.utf8))
    }
}

/// The middle one of several, by each figure for itself.
struct Median: Sendable {
    let callsPerSecond: Double
    /// In microseconds.
    let processorTimePerCall: Double
    let switchesPerCall: Double

    /// `nil` of nothing.
    init?(_ rounds: [Figures]) {
        guard !rounds.isEmpty else { return nil }
        func middle(_ figure: (Figures) -> Double) -> Double { rounds.map(figure).sorted()[rounds.count / 2] }
        callsPerSecond = middle(\.callsPerSecond)
        processorTimePerCall = middle(\.processorTimePerCall)
        switchesPerCall = middle(\.switchesPerCall)
    }
}
