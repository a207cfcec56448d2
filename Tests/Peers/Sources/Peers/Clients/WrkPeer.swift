import Foundation

/// Measures `wrk` on one thread, as the limit of the server. It checks neither certificates nor bodies, but only the status.
func measureWrk(_ scenario: Scenario, at server: Server, effort: Effort) throws -> Figures {
    let before = Usage(of: .children)
    let seconds = max(1, Int(effort.seconds.rounded()))
    let output = try Program("wrk").run(["-t1", "-c\(scenario.width)", "-d\(seconds)s", try server.url(of: scenario)])
    let usage = Usage(of: .children) - before
    // "  76380 requests in 1.02s, 24.1MB read"
    guard !output.contains("Non-2xx"), !output.contains("Socket errors"),
        let match = output.firstMatch(of: /(\d+) requests in ([\d.]+)s/),
        let calls = Int(match.1), let taken = Double(match.2), calls > 0, taken > 0
    else { throw Problem("wrk says:\n\(output)") }
    return Figures(
        calls: calls, seconds: taken, processorSeconds: usage.processorSeconds, contextSwitches: usage.contextSwitches)
}
