import Foundation

/// The figures of one measurement of one client.
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
    /// Returns one line for the process that started this one.
    func line() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    init(line: String) throws {
        self = try JSONDecoder().decode(Figures.self, from: Data(line.utf8))
    }
}

/// The medians of several measurements, separately for each figure.
struct Median: Sendable {
    let callsPerSecond: Double
    /// In microseconds.
    let processorTimePerCall: Double
    let switchesPerCall: Double

    /// Fails if there are no measurements.
    init?(_ rounds: [Figures]) {
        guard !rounds.isEmpty else { return nil }
        func middle(_ figure: (Figures) -> Double) -> Double { rounds.map(figure).sorted()[rounds.count / 2] }
        callsPerSecond = middle(\.callsPerSecond)
        processorTimePerCall = middle(\.processorTimePerCall)
        switchesPerCall = middle(\.switchesPerCall)
    }
}
