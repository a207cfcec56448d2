import Foundation

/// Writes errors that nobody looked at down for who runs the program, a line each. Of one place it tells once in a second, and with the next
/// line how many it has left out, so that a loop of failures does not flood.
final class UnhandledErrorLog: Sendable {
    static let standardError = UnhandledErrorLog(now: { SystemClock.shared.now }) { line in
        // Where nobody reads it there is nobody to tell of that.
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

/// How often is told of the failures of one place. Pure.
struct ReportLimit {
    private struct Place {
        var told: Duration
        var omitted = 0
    }

    /// Between two lines of one place.
    static let pause = Duration.seconds(1)
    /// Of so many places is told in that time.
    static let mostPlaces = 256

    private var places: [String: Place] = [:]

    /// How many reports of the place were left out before this one; `nil` if this one is left out, too.
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
