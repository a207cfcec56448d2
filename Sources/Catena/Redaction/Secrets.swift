/// Names of what must not be shown: in logs, errors, descriptions, archives and commands its value is `***`.
///
/// ```swift
/// API.configure(.forum) { forum in
///     forum.secrets.add(headers: "X-Device", params: "uid", paths: "data.user.phone")
///     forum.secrets.allow("page_token")
/// }
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
    /// Names that are shown although they are among the usual ones.
    public private(set) var allowed: Set<String> = []

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

    /// Shows what goes by these names, of headers and of params, although they are among the usual ones or were added before.
    ///
    /// What the tag's sign-in, signature and rules use stays hidden.
    public mutating func allow(_ names: String...) {
        allow(names)
    }

    private mutating func add(_ headers: some Sequence<String>, _ params: some Sequence<String>, _ paths: some Sequence<String>) {
        self.headers.formUnion(headers)
        self.params.formUnion(params)
        self.paths.formUnion(paths)
        let added = Set(self.headers.union(self.params).map { SecretNames.plain($0) })
        allowed = allowed.filter { !added.contains(SecretNames.plain($0)) }
    }

    private mutating func allow(_ names: some Sequence<String>) {
        allowed.formUnion(names)
        let shown = Set(allowed.map { SecretNames.plain($0) })
        headers = headers.filter { !shown.contains(SecretNames.plain($0)) }
        params = params.filter { !shown.contains(SecretNames.plain($0)) }
    }

    /// Takes over all that `other` names; what it says of a name counts.
    public mutating func merge(_ other: Secrets) {
        add(other.headers, other.params, other.paths)
        allow(other.allowed)
    }

    mutating func removePaths() { paths = [] }

    func merging(_ other: Secrets?) -> Secrets {
        var merged = self
        if let other { merged.merge(other) }
        return merged
    }

    /// What a tag's calls hide that is not what is hidden everywhere; `nil` if that is all.
    var redaction: Redaction? {
        let isKnown = headers.union(params).allSatisfy(Redaction.standard.isSecret(name:))
        return isKnown && paths.isEmpty && allowed.isEmpty ? nil : Redaction(self)
    }
}
