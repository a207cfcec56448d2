import Synchronization

/// Which places have been changed while somebody was asking for them: an answer from before the change must not be kept after it.
///
/// Knows only of places for which somebody asks at the moment.
final class CacheGenerations: Sendable {
    private struct Place {
        var generation = 0
        var asking = 0
    }

    private let places = Mutex<[String: Place]>([:])

    /// Begins to ask for what is at a place. Gives what tells whether it has been changed meanwhile.
    func begin(_ place: String) -> Int {
        places.withLock { places in
            places[place, default: Place()].asking += 1
            return places[place]?.generation ?? 0
        }
    }

    func isCurrent(_ generation: Int, of place: String) -> Bool {
        places.withLock { $0[place]?.generation == generation }
    }

    func end(_ place: String) {
        places.withLock { places in
            places[place]?.asking -= 1
            if places[place]?.asking == 0 { places[place] = nil }
        }
    }

    /// Notes that what is at a place has been changed.
    func change(_ place: String) {
        places.withLock { $0[place]?.generation += 1 }
    }
}

extension ResponseCache {
    /// Keeps an answer, unless the place was changed after it was asked for.
    func keep(_ response: CachedResponse, for key: RequestKey, asOf generation: Int) {
        guard generations.isCurrent(generation, of: key.place) else { return }
        storage.save(response, for: key)
        // The change may have come, and removed nothing, just before.
        if !generations.isCurrent(generation, of: key.place) { storage.remove(key) }
    }

    /// Forgets what is kept of a place, and what somebody is just asking for.
    func forget(_ place: String) {
        generations.change(place)
        storage.removeAll(of: place)
    }
}
