/// Tracks which shared stores cannot be used, so that each outage is reported once. Pure.
///
/// Operations run concurrently. Some that succeeded before an outage end after others have failed. If a store is full, writes fail and
/// reads succeed. So an outage ends only when an operation has succeeded and none has failed for a while.
struct StoreOutages: Sendable {
    private struct Outage {
        var lastFailure: Duration
        var hasSucceeded = false
    }

    static let quiet = Duration.seconds(5)

    private var outages: [ObjectIdentifier: Outage] = [:]

    var isEmpty: Bool { outages.isEmpty }

    mutating func noteSuccess(of store: ObjectIdentifier, at now: Duration) {
        guard let outage = outages[store] else { return }
        if now - outage.lastFailure >= Self.quiet {
            outages[store] = nil
        } else {
            outages[store]?.hasSucceeded = true
        }
    }

    /// Returns whether an outage begins.
    mutating func noteFailure(of store: ObjectIdentifier, at now: Duration) -> Bool {
        let former = outages.updateValue(Outage(lastFailure: now), forKey: store)
        return former.map { $0.hasSucceeded && now - $0.lastFailure >= Self.quiet } ?? true
    }
}
