/// The origins to which rules from elsewhere may lead.
struct RulePlaces {
    private let origins: Set<String>

    init(of client: Client, allowing others: [String]) {
        let snapshot = client.snapshot
        var origins = Set(others.compactMap { HTTPAddress($0)?.origin })
        for tag in [nil] + snapshot.tagNames.map({ Tag($0) }) {
            if case .success(let address)? = snapshot.profile(for: tag).address { origins.insert(address.origin) }
        }
        self.origins = origins.union(snapshot.settings.rules.origins)
    }

    /// Throws if a rule leads elsewhere.
    func check(_ rules: RuleSet) throws(RuleFaults) {
        let faults = rules.places.filter { place in Self.origin(of: place.text).map { !origins.contains($0) } ?? false }.map { place in
            RuleFault(
                path: place.path,
                reason:
                    "it leads to \(Self.origin(of: place.text) ?? ""), which is no host of the app. Allow the origin where the rules are loaded if it is meant to have the app's credentials."
            )
        }
        if !faults.isEmpty { throw RuleFaults(faults) }
    }

    fileprivate static func origin(of place: String) -> String? { (try? HTTPAddress(parsing: place))?.origin }
}

extension RuleSet {
    /// The origins to which rules lead.
    var origins: Set<String> { Set(places.compactMap { RulePlaces.origin(of: $0.text) }) }

    /// The addresses to which rules lead, and where they stand.
    fileprivate var places: [(path: String, text: String)] {
        ([standard] + rules.values.sorted { $0.name < $1.name }).flatMap { rule -> [(path: String, text: String)] in
            var places: [(path: String, text: String)] = []
            if let base = rule.base { places.append(("\(rule.name).Base", base)) }
            if let path = rule.path?.shown, HTTPAddress.schemeName(of: path.unicodeScalars[...]) != nil || path.hasPrefix("//") {
                places.append(("\(rule.name).Path", path))
            }
            return places
        }
    }
}
