import Foundation

/// Writes unhandled errors to a log, one per line.
///
/// It writes at most one line a second for each place, so that a loop of failures does not flood the log. The next line counts those omitted.
final class UnhandledErrorLog: Sendable {
    static let standardError = UnhandledErrorLog(now: { SystemClock.shared.now }) { line in
        // A failed write is ignored, because it can be reported nowhere.
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }

    private let now: @Sendable () -> Duration
    private let write: @Sendable (String) -> Void
    private let limit = Mutex(ReportLimit())

    init(now: @escaping @Sendable () -> Duration, write: @escaping @Sendable (String) -> Void) {
        self.now = now
        self.write = write
    }

    func note(_ report: PromiseDiagnostics.UnhandledError) {
        let place = report.file.isEmpty ? "" : " from \(report.file):\(report.line)"
        let now = now()
        guard let omitted = limit.withLock({ $0.admit(place, at: now) }) else { return }
        let more = omitted > 0 ? " (\(omitted) more since the last such line)" : ""
        write("Catena: unhandled failure\(place): \(PromiseDiagnostics.words(of: report.error))\(more)")
    }
}

/// Limits the reports of each place.
struct ReportLimit {
    private struct Place {
        var told: Duration
        var omitted = 0
    }

    /// The minimum time between two lines of one place.
    static let pause = Duration.seconds(1)
    /// The maximum number of places reported within that time.
    static let mostPlaces = 256

    private var places: [String: Place] = [:]

    /// Returns the number of reports of the place omitted before this one, or `nil` if this one is omitted too.
    mutating func admit(_ place: String, at now: Duration) -> Int? {
        if let known = places[place], now - known.told < Self.pause {
            places[place]?.omitted += 1
            return nil
        }
        if places[place] == nil, places.count >= Self.mostPlaces {
            places = places.filter { now - $0.value.told < Self.pause }
            guard places.count < Self.mostPlaces else { return nil }
        }
        return places.updateValue(Place(told: now), forKey: place)?.omitted ?? 0
    }
}
