import Foundation

/// Bars in SVG: for each protocol the clients' calls per second and processor time per call, both relative to libcurl.
///
/// It has its own background, so that it is readable where `prefers-color-scheme` is ignored.
struct Plot {
    let results: Results
    let words: Words

    private static let width = 820.0
    private static let margin = 24.0
    private static let panels = (246.0, 532.0)
    private static let panel = 264.0
    private static let row = 22.0

    /// The SVG, or `nil` if the run did not measure small JSON, 64 at a time.
    var text: String? {
        var y = Self.margin + 14
        var shapes = zip(
            [Self.margin, Self.panels.0, Self.panels.1],
            [(words.atATime, words.size(.small)), (words.plotSpeed, words.more), (words.plotCost, words.less)]
        ).flatMap { x, head in [label(head.0, x: x, y: y, style: "head"), label(head.1, x: x, y: y + 18, style: "note")] }
        let heads = shapes.count
        y += 34
        for wire in Scenario.Wire.allCases where wire != .stub {
            let scenario = Scenario(wire: wire, size: .small, width: 64)
            let peers = Peer.allCases.filter { results.speed($0, over: .curlAlone, scenario) != nil && $0 != .wrk }
            guard !peers.isEmpty else { continue }
            shapes.append(label(words.wire(wire), x: Self.margin, y: y + 14, style: "head"))
            y += Self.row + 4
            let scales = (largest(peers.map { speed($0, scenario) }), largest(peers.map { cost($0, scenario) }))
            for peer in peers {
                shapes.append(label(words.client(peer), x: Self.margin, y: y + 13))
                shapes.append(bar(speed(peer, scenario), of: scales.0, peer: peer, x: Self.panels.0, y: y))
                shapes.append(bar(cost(peer, scenario), of: scales.1, peer: peer, x: Self.panels.1, y: y))
                y += Self.row
            }
            y += 14
        }
        guard shapes.count > heads else { return nil }
        let (width, height) = (Int(Self.width), Int(y + Self.margin - 18))
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" lang="\(words.language)" \
            role="img" aria-label="\(words.plot)">
            <style>
            text { font: 13px system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif }
            text { fill: #1f2328 }
            .head { font-weight: 600 }
            .note { font-size: 12px; fill: #59636e }
            .page { fill: #ffffff; stroke: #d1d9e0 }
            .alone { fill: #818b98 }
            .catena { fill: #0969da }
            .other { fill: #b7bfc8 }
            @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3 }
            .note { fill: #9198a1 }
            .page { fill: #0d1117; stroke: #3d444d }
            .alone { fill: #9198a1 }
            .catena { fill: #4493f8 }
            .other { fill: #656c76 }
            }
            </style>
            <rect class="page" x="0.5" y="0.5" width="\(width - 1)" height="\(height - 1)" rx="10"/>
            \(shapes.joined(separator: "\n"))
            </svg>

            """
    }

    private func speed(_ peer: Peer, _ scenario: Scenario) -> Double { results.speed(peer, over: .curlAlone, scenario) ?? 0 }

    private func cost(_ peer: Peer, _ scenario: Scenario) -> Double { results.cost(peer, over: .curlAlone, scenario) ?? 0 }

    private func largest(_ values: [Double]) -> Double { max(1, values.max() ?? 1) }

    /// Draws a bar followed by its number. The panel leaves room for the number.
    private func bar(_ value: Double, of largest: Double, peer: Peer, x: Double, y: Double) -> String {
        let length = value / largest * (Self.panel - 48)
        return #"<rect class="\#(style(of: peer))" x="\#(Int(x))" y="\#(Int(y))" width="\#(rounded(length))" height="16" rx="2"/>"#
            + label(written(value), x: x + length + 6, y: y + 13)
    }

    private func style(of peer: Peer) -> String {
        switch peer {
        case .curlAlone: "alone"
        case .catenaData, .catenaPromise, .catenaValue: "catena"
        default: "other"
        }
    }

    private func label(_ text: String, x: Double, y: Double, style: String? = nil) -> String {
        let style = style.map { #" class="\#($0)""# } ?? ""
        return #"<text\#(style) x="\#(rounded(x))" y="\#(rounded(y))">\#(text)</text>"#
    }

    private func rounded(_ value: Double) -> String { String(format: "%.1f", value) }
}
