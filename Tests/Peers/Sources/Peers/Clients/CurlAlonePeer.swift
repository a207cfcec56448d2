import CurlAlone

/// Measures libcurl alone on one thread; see `CurlAlone`.
func measureCurlAlone(_ scenario: Scenario, at server: Server, effort: Effort) throws -> Figures {
    let url = try server.url(of: scenario)
    return try url.withCString { url in
        try (server.authority ?? "").withCString { authority in
            var load = curl_alone_load()
            load.url = url
            load.authority = server.authority == nil ? nil : authority
            load.uses_http2 = scenario.wire == .https2 ? 1 : 0
            load.width = Int32(scenario.width)
            load.warm_up_seconds = effort.warmUp
            load.seconds = effort.seconds
            load.body_length = Payloads.bytes(of: scenario.size).count
            var figures = curl_alone_figures()
            if let failure = curl_alone_run(&load, &figures) { throw Problem(String(cString: failure)) }
            return Figures(
                calls: figures.calls, seconds: figures.seconds, processorSeconds: figures.processor_seconds,
                contextSwitches: figures.context_switches)
        }
    }
}
