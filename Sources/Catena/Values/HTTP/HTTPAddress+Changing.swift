// Changes of an address are made part by part, because the same change is made to the address of a later attempt, whose other parts are newer.
extension HTTPAddress {
    /// Makes the changes by which `changed` differs from `original`: those of the origin, of the path and of each name of the query.
    mutating func change(as changed: HTTPAddress, was original: HTTPAddress) {
        let isMoved = changed.place != original.place
        var address = HTTPAddress(place: isMoved ? changed.place : place, path: path, query: query)
        address.shown = shown
        address.changePath(as: changed.path, was: original.path)
        address.changeQuery(as: changed.query, was: original.query)
        self = address
    }

    /// Keeps the own path where `changed` has only a prefix or a suffix more than `original`.
    private mutating func changePath(as changed: String, was original: String) {
        guard changed != original else { return }
        if changed.hasSuffix(original) {
            path = changed.dropLast(original.count) + path
        } else if changed.hasPrefix(original) {
            path += changed.dropFirst(original.count)
        } else {
            path = changed
        }
    }

    /// Replaces the pairs of each name whose values differ between `changed` and `original`, and keeps all others.
    mutating func changeQuery(as changed: String?, was original: String?) {
        guard changed != original else { return }
        let (former, present) = (QueryPairs(original), QueryPairs(changed))
        let names = Set(former.values.keys).union(present.values.keys).filter { former.values[$0] != present.values[$0] }
        let pairs = QueryPairs(query).pairs.filter { !names.contains($0.name) } + present.pairs.filter { names.contains($0.name) }
        query = pairs.isEmpty ? nil : pairs.map(\.text).joined(separator: "&")
    }

    /// The pairs of an encoded query, in order, and those of each name.
    private struct QueryPairs {
        let pairs: [(name: Substring, text: Substring)]
        let values: [Substring: [Substring]]

        init(_ query: String?) {
            pairs = (query ?? "").split(separator: "&").map { (name: $0.prefix { $0 != "=" }, text: $0) }
            values = Dictionary(grouping: pairs, by: \.name).mapValues { $0.map(\.text) }
        }
    }
}
