/// Distinguishes the domains of registries, such as `com` and `co.uk`, from those of sites.
struct PublicSuffixes: Sendable {
    /// The app's list of public suffixes, or `nil` to decide by the form of a domain.
    var list: (@Sendable (String) -> Bool)?

    /// Returns whether a domain belongs to a registry. A single label always does.
    func contains(_ domain: String) -> Bool {
        let labels = domain.split(separator: ".")
        if labels.count < 2 { return true }
        return list?(domain) ?? Self.hasForm(labels)
    }

    /// Returns the site of a host: the domain directly below a registry's. The site of an IP address is the address itself.
    func site(of host: String) -> String {
        if Cookie.isNumeric(host) { return host }
        let labels = host.split(separator: ".")
        var site = host
        for start in labels.indices.dropFirst() {
            let parent = labels[start...].joined(separator: ".")
            if contains(parent) { break }
            site = parent
        }
        return site
    }

    /// Returns whether a domain is a country code with a common second-level label of registries. The full list changes weekly, so only the
    /// form is checked.
    private static func hasForm(_ labels: [Substring]) -> Bool {
        labels.count == 2 && labels[1].count == 2
            && ["co", "com", "net", "org", "gov", "edu", "ac", "ne", "or", "go", "mil", "id", "ltd", "plc", "gob"].contains(labels[0])
    }
}
