import Catena

/// The origins that a server's rules may name.
struct RulePlaces {
    private let origins: Set<String>

    init(of client: Client, allowing others: [String]) {
        var origins = Set(others.compactMap { HTTPAddress($0)?.origin })
        for tag in [nil] + client.configuredTags.map({ Tag($0) }) {
            if case .success(let address)? = client.profile(for: tag).address { origins.insert(address.origin) }
        }
        self.origins = origins.union(client.snapshot.settings.rules.origins)
    }

    /// Throws if a rule names another origin.
    func check(_ rules: RuleSet) throws(RuleFaults) {
        let faults = rules.places.compactMap { place in fault(of: place.text).map { RuleFault(path: place.path, reason: $0) } }
        if !faults.isEmpty { throw RuleFaults(faults) }
    }

    private func fault(of place: String) -> String? {
        // A `{name}` in the place of a host would be filled when the call is made, with any host.
        guard let origin = Self.origin(of: place) else { return "it names a host that cannot be read." }
        guard !origins.contains(origin) else { return nil }
        return
            "it leads to \(origin), which is no host of the app. Allow the origin where the rules are loaded if it is meant to have the app's credentials."
    }

    fileprivate static func origin(of place: String) -> String? { (try? HTTPAddress(parsing: place))?.origin }
}

extension RuleSet {
    /// The origins that rules name.
    var origins: Set<String> { Set(places.compactMap { RulePlaces.origin(of: $0.text) }) }

    /// The addresses that rules name, with their paths in the file.
    fileprivate var places: [(path: String, text: String)] {
        ([standard] + rules.values.sorted { $0.name < $1.name }).flatMap { rule -> [(path: String, text: String)] in
            var places: [(path: String, text: String)] = []
            // A base that is no address fails the calls.
            if let base = rule.base, RulePlaces.origin(of: base) != nil { places.append(("\(rule.name).Base", base)) }
            if let path = rule.path?.shown, HTTPAddress.schemeName(of: path.unicodeScalars[...]) != nil || path.hasPrefix("//") {
                places.append(("\(rule.name).Path", path))
            }
            return places
        }
    }
}
