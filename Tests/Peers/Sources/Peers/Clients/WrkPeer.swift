import Foundation

/// `wrk` on one thread: what the server can do. It neither checks whom it talks to nor what it is given, but for the status.
func measureWrk(_ scenario: Scenario, at server: Server, effort: Effort) throws -> Figures {
    let before = Usage(of: .children)
    let seconds = max(1, Int(effort.seconds.rounded()))
    let output = try Program("wrk").run(["-t1", "-c\(scenario.width)", "-d\(seconds)s", try server.url(of: scenario)])
    let usage = Usage(of: .children) - before
    guard !output.contains("Non-2xx"), !output.contains("Socket errors"),
        let line = output.split(separator: "\n").first(where: { $0.contains(" requests in ") }),
        let calls = line.split(separator: " ").first.flatMap({ Int($0) }),
        let rate = output.split(separator: "\n").first(where: { $0.hasPrefix("Requests/sec:") })?.split(separator: " ").last.flatMap({
            Double($0)
        }), calls > 0
    else { throw Problem("wrk says:\n\(output)") }
    return Figures(
        calls: calls, seconds: Double(calls) / rate, processorSeconds: usage.processorSeconds, contextSwitches: usage.contextSwitches)
}
