#if !canImport(FoundationNetworking)
import Foundation

extension CallTimings {
    /// What URLSession has measured of an exchange that is over.
    init(_ metrics: URLSessionTaskTransactionMetrics) {
        self.init()
        func time(_ start: Date?, _ end: Date?) -> Duration? {
            guard let start, let end else { return nil }
            return .seconds(max(end.timeIntervalSince(start), 0))
        }
        // What comes first of what there is: a connection that is used again has neither looked up nor connected anything.
        queue = time(metrics.fetchStartDate, metrics.domainLookupStartDate ?? metrics.connectStartDate ?? metrics.requestStartDate)
        dns = time(metrics.domainLookupStartDate, metrics.domainLookupEndDate)
        tls = time(metrics.secureConnectionStartDate, metrics.secureConnectionEndDate)
        // Connecting includes the encryption here.
        connect = time(metrics.connectStartDate, metrics.connectEndDate).map { max($0 - (tls ?? .zero), .zero) }
        firstByte = time(metrics.requestStartDate, metrics.responseStartDate)
        transfer = time(metrics.responseStartDate, metrics.responseEndDate)
    }
}
#endif
