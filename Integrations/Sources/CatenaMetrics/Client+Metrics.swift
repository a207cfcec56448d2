public import Catena
public import CoreMetrics

extension Client {
    /// Records metrics of every call with swift-metrics.
    ///
    /// | metric | kind | dimensions besides `tag` |
    /// |---|---|---|
    /// | `catena_calls` | counter | `outcome`: `success`, `failure` or `cancelled` |
    /// | `catena_call_duration` | timer | `outcome` |
    /// | `catena_failures` | counter | `kind`: the name of the ``Catena/APIError/Kind`` |
    /// | `catena_attempts` | counter | |
    /// | `catena_retries` | counter | `kind`: why the attempt before failed |
    /// | `catena_cache_hits` | counter | |
    /// | `catena_circuit_breaker` | gauge | 0 is closed, 1 half-open, 2 open; only for a tag with a circuit breaker |
    ///
    /// The `tag` of a call without a tag is `none`. An observer records the metrics, so that they do not delay calls.
    ///
    /// ```swift
    /// Client.shared.recordMetrics()
    /// ```
    ///
    /// - Parameters:
    ///   - factory: The factory of the metrics. By default that of the process.
    ///   - prefix: The prefix of the metrics' names.
    /// - Returns: A registration whose `end()` stops the recording. Discard it to record until the process exits.
    @discardableResult
    public func recordMetrics(to factory: (any MetricsFactory)? = nil, prefix: String = "catena") -> Registration {
        let metrics = CallMetrics(factory: factory, prefix: prefix)
        return observe { [weak self] event in
            metrics.record(event)
            if case .finished = event.kind, let status = self?.circuitBreakerStatus(of: event.tag) { metrics.record(status, of: event.tag) }
        }
    }
}
