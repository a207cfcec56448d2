import Catena
import CoreMetrics
import Metrics

/// Records the events of calls as metrics. Metrics are not stored here, because the factory stores them.
struct CallMetrics: Sendable {
    private let factory: (any MetricsFactory)?
    private let prefix: String

    init(factory: (any MetricsFactory)?, prefix: String) {
        self.factory = factory
        self.prefix = prefix
    }

    func record(_ event: CallEvent) {
        switch event.kind {
        case .started, .answered, .failed: break
        case .attempt: count("attempts", of: event.tag)
        case .retrying(_, let error): count("retries", of: event.tag, [("kind", error.kind.name)])
        case .finished(.success(let response)):
            if response.source == .cache { count("cache_hits", of: event.tag) }
            finish(event, "success")
        case .finished(.failure(is CancellationError)): finish(event, "cancelled")
        case .finished(.failure(let error)):
            count("failures", of: event.tag, [("kind", ((error as? APIError)?.kind ?? .other).name)])
            finish(event, "failure")
        }
    }

    func record(_ status: CircuitBreakerStatus, of tag: Tag?) {
        let value = CircuitBreakerStatus.allCases.firstIndex(of: status) ?? 0
        Gauge(label: "\(prefix)_circuit_breaker", dimensions: dimensions(tag, []), factory: usedFactory).record(value)
    }

    private func finish(_ event: CallEvent, _ outcome: String) {
        count("calls", of: event.tag, [("outcome", outcome)])
        Timer(label: "\(prefix)_call_duration", dimensions: dimensions(event.tag, [("outcome", outcome)]), factory: usedFactory)
            .record(duration: event.elapsed)
    }

    private func count(_ name: String, of tag: Tag?, _ others: [(String, String)] = []) {
        Counter(label: "\(prefix)_\(name)", dimensions: dimensions(tag, others), factory: usedFactory).increment()
    }

    /// Read each time, because a process may set its factory at any time.
    private var usedFactory: any MetricsFactory { factory ?? MetricsSystem.factory }

    private func dimensions(_ tag: Tag?, _ others: [(String, String)]) -> [(String, String)] {
        [("tag", tag?.name ?? "none")] + others
    }
}
