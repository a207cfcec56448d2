import Foundation

/// A minimum or maximum of Catena's performance compared with others.
struct Goal {
    enum Bound {
        case atLeast(Double)
        case atMost(Double)

        func holds(_ value: Double) -> Bool {
            switch self {
            case .atLeast(let bound): value >= bound
            case .atMost(let bound): value <= bound
            }
        }

        var text: String {
            switch self {
            case .atLeast(let bound): "at least \(bound)"
            case .atMost(let bound): "at most \(bound)"
            }
        }
    }

    let title: String
    let bound: Bound
    /// The measured value, or `nil` if the run did not measure it.
    let value: Double?

    var line: String {
        guard let value else { return "  not measured   \(title): \(bound.text)" }
        return "  \(bound.holds(value) ? "holds        " : "DOES NOT HOLD")  \(title): \(String(format: "%.3g", value)), \(bound.text)"
    }
}

extension Goal {
    /// Returns all goals with the results of a run.
    static func all(_ results: Results) -> [Goal] {
        beside(.http1, 64, atLeast: 1.5, results) + besideURLSession(results) + beside(.http1, 1, atLeast: 1.3, results)
            + beside(.https1, 64, atLeast: 1.3, results) + beside(.https2, 64, atLeast: 2, results) + costs(results) + large(results)
    }

    private static func large(_ results: Results) -> [Goal] {
        Scenario.Wire.allCases.filter { $0 != .stub }.flatMap { wire in
            let scenario = Scenario(wire: wire, size: .hundredKilobytes, width: 64)
            return [(Peer.catenaData, Peer.asyncHTTPClient, 1.15), (.catenaValue, .asyncHTTPClientJSON, 0.3)].map { peer, other, bound in
                Goal(
                    title: "\(wire.title), \(scenario.size.title), processor time of \(peer.title) over \(other.title)",
                    bound: .atMost(bound), value: results.cost(peer, over: other, scenario))
            }
        }
    }

    private static func beside(_ wire: Scenario.Wire, _ width: Int, atLeast bound: Double, _ results: Results) -> [Goal] {
        let scenario = Scenario(wire: wire, size: .small, width: width)
        return [(Peer.catenaData, Peer.asyncHTTPClient), (.catenaValue, .asyncHTTPClientJSON)].map { peer, other in
            speed(peer, other, scenario, atLeast: bound, results)
        }
    }

    private static func besideURLSession(_ results: Results) -> [Goal] {
        let scenario = Scenario(wire: .http1, size: .small, width: 64)
        return [(Peer.catenaData, Peer.urlSession), (.catenaValue, .urlSessionJSON)].map { peer, other in
            speed(peer, other, scenario, atLeast: 7, results)
        }
    }

    private static func speed(_ peer: Peer, _ other: Peer, _ scenario: Scenario, atLeast bound: Double, _ results: Results) -> Goal {
        Goal(
            title: "\(scenario.wire.title), \(scenario.width) at a time, calls/s of \(peer.title) over \(other.title)",
            bound: .atLeast(bound), value: results.speed(peer, over: other, scenario))
    }

    private static func costs(_ results: Results) -> [Goal] {
        let usual = Scenario(wire: .http1, size: .small, width: 64)
        let stub = Scenario(wire: .stub, size: .small, width: 1)
        return [
            Goal(
                title: "HTTP/1.1, 64 at a time, processor time of value(as:) over libcurl alone", bound: .atMost(3),
                value: results.cost(.catenaValue, over: .curlAlone, usual)),
            Goal(
                title: "over a stub, processor time of value(as:) over JSONDecoder alone", bound: .atMost(3),
                value: results.cost(.catenaValue, over: .decoderAlone, stub)),
            // This limit exceeds the context switches of any process that runs for a second.
            Goal(
                title: "over a stub, context switches of a call of value(as:)", bound: .atMost(0.01),
                value: results[.catenaValue, stub]?.switchesPerCall),
        ]
            + [512, 1000].map { width in
                let crowded = Scenario(wire: .http1, size: .small, width: width)
                var value: Double?
                if let many = results[.catenaValue, crowded], let few = results[.catenaValue, usual] {
                    value = many.processorTimePerCall / few.processorTimePerCall
                }
                return Goal(
                    title: "HTTP/1.1, processor time of value(as:), \(width) at a time over 64 at a time", bound: .atMost(1.2), value: value
                )
            }
    }
}
