/// Tells the domains of registries, such as `com` and `co.uk`, from those of sites.
struct PublicSuffixes: Sendable {
    /// A list of the caller's; `nil` goes by the form of a domain.
    var list: (@Sendable (String) -> Bool)?

    /// Whether a domain belongs to a registry. One label does always.
    func contains(_ domain: String) -> Bool {
        let labels = domain.split(separator: ".")
        if labels.count < 2 { return true }
        return list?(domain) ?? Self.hasForm(labels)
    }

    /// The domain right below a registry's that a host belongs to; an IP address is itself.
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

    /// Whether a domain is a country's code below a word that registries use. The full list is a file that changes weekly; this knows its form.
    private static func hasForm(_ labels: [Substring]) -> Bool {
        labels.count == 2 && labels[1].count == 2
            && ["co", "com", "net", "org", "gov", "edu", "ac", "ne", "or", "go", "mil", "id", "ltd", "plc", "gob"].contains(labels[0])
    }
}
