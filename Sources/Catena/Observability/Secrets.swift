/// Names of what must not be shown: in logs, errors, descriptions, archives and commands its value is `***`.
///
/// ```swift
/// API.configure(.forum) { $0.secrets.add(headers: "X-Device", params: "uid", paths: "data.user.phone") }
/// ```
///
/// What goes by names such as `Authorization`, `token`, `password` or `signature` is secret anyway, and so are the names that the tag's
/// sign-in, signature and rules use. Upper and lower case, `_` and `-` make no difference.
public struct Secrets: Sendable, Equatable {
    /// Names of headers.
    public private(set) var headers: Set<String> = []
    /// Names of params, in the query and in bodies.
    public private(set) var params: Set<String> = []
    /// Places in the JSON of bodies, from the root: keys joined by dots, through arrays as if they were not there.
    public private(set) var paths: Set<String> = []

    /// No names but the usual ones.
    public init() {}

    /// Names to be hidden beside the usual ones. See ``add(headers:params:paths:)``.
    public init(headers: String..., params: String..., paths: String...) {
        add(headers, params, paths)
    }

    init(headers: [String], params: some Sequence<String>) {
        self.headers = Set(headers)
        self.params = Set(params)
    }

    /// Adds names; those that are there already stay.
    public mutating func add(headers: String..., params: String..., paths: String...) {
        add(headers, params, paths)
    }

    private mutating func add(_ headers: [String], _ params: [String], _ paths: [String]) {
        self.headers.formUnion(headers)
        self.params.formUnion(params)
        self.paths.formUnion(paths)
    }

    /// Takes over all that `other` names.
    public mutating func merge(_ other: Secrets) {
        headers.formUnion(other.headers)
        params.formUnion(other.params)
        paths.formUnion(other.paths)
    }

    mutating func removePaths() { paths = [] }

    func merging(_ other: Secrets?) -> Secrets {
        var merged = self
        if let other { merged.merge(other) }
        return merged
    }

    /// What a tag's calls hide beside what is hidden everywhere; `nil` if that is all.
    var redaction: Redaction? {
        let isKnown = headers.union(params).allSatisfy(Redaction.standard.isSecret(name:))
        return isKnown && paths.isEmpty ? nil : Redaction(self)
    }
}
