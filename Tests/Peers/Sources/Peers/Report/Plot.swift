import Foundation

/// Bars in SVG: for each protocol the clients' calls a second and the processor time of their calls, both beside libcurl alone.
struct Plot {
    let results: Results

    private static let width = 960.0
    private static let names = 230.0
    private static let panel = 340.0
    private static let row = 20.0

    /// `nil` if the run did not measure small JSON, 64 at a time.
    var text: String? {
        var y = 30.0
        var shapes = [
            label("calls a second", x: Self.names, y: 16), label("processor time of a call", x: Self.names + Self.panel + 30, y: 16),
        ]
        for wire in Scenario.Wire.allCases where wire != .stub {
            let scenario = Scenario(wire: wire, size: .small, width: 64)
            let peers = Peer.allCases.filter { results.speed($0, over: .curlAlone, scenario) != nil && $0 != .wrk }
            guard !peers.isEmpty else { continue }
            shapes.append(label(wire.title, x: 8, y: y + 14, style: "wire"))
            y += Self.row + 4
            let scales = (largest(peers.map { speed($0, scenario) }), largest(peers.map { cost($0, scenario) }))
            for peer in peers {
                shapes.append(label(peer.title, x: 8, y: y + 14))
                shapes.append(bar(speed(peer, scenario), of: scales.0, peer: peer, x: Self.names, y: y))
                shapes.append(bar(cost(peer, scenario), of: scales.1, peer: peer, x: Self.names + Self.panel + 30, y: y))
                y += Self.row
            }
            y += 10
        }
        guard shapes.count > 2 else { return nil }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(y))" role="img" aria-label="\(Words.english.plot), \
            as multiples of libcurl alone">
            <style>
            text { font: 13px system-ui, sans-serif; fill: #1f2328; }
            .wire { font-weight: 600; }
            .alone { fill: #8c959f; }
            .catena { fill: #0969da; }
            .other { fill: #c4cad1; }
            @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3; }
            .catena { fill: #4493f8; }
            .other { fill: #3d444d; }
            }
            </style>
            \(shapes.joined(separator: "\n"))
            </svg>

            """
    }

    private func speed(_ peer: Peer, _ scenario: Scenario) -> Double { results.speed(peer, over: .curlAlone, scenario) ?? 0 }

    private func cost(_ peer: Peer, _ scenario: Scenario) -> Double { results.cost(peer, over: .curlAlone, scenario) ?? 0 }

    private func largest(_ values: [Double]) -> Double { max(1, values.max() ?? 1) }

    /// A bar with its number behind it, for which there is always room.
    private func bar(_ value: Double, of largest: Double, peer: Peer, x: Double, y: Double) -> String {
        let length = value / largest * (Self.panel - 50)
        return #"<rect class="\#(style(of: peer))" x="\#(Int(x))" y="\#(Int(y))" width="\#(rounded(length))" height="16" rx="2"/>"#
            + label(written(value), x: x + length + 6, y: y + 13)
    }

    private func style(of peer: Peer) -> String {
        switch peer {
        case .curlAlone: "alone"
        case .catenaData, .catenaValue: "catena"
        default: "other"
        }
    }

    private func label(_ text: String, x: Double, y: Double, style: String = "client") -> String {
        #"<text class="\#(style)" x="\#(rounded(x))" y="\#(rounded(y))">\#(text)</text>"#
    }

    private func rounded(_ value: Double) -> String { String(format: "%.1f", value) }
}
