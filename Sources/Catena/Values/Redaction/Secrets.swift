/// Names whose values are replaced with `***` in logs, errors, descriptions, archives and commands.
///
/// ```swift
/// API.configure(.forum) { forum in
///     forum.secrets.add(headers: "X-Device", params: "uid", paths: "data.user.phone")
///     forum.secrets.allow("page_token")
/// }
/// ```
///
/// Names such as `Authorization`, `token`, `password` or `signature` are secret by default, and so are the names that the tag's
/// sign-in, signature and rules use. Case, `_` and `-` make no difference.
public struct Secrets: Sendable, Equatable {
    /// Names of headers.
    public private(set) var headers: Set<String> = []
    /// Names of params, in the query and in bodies.
    public private(set) var params: Set<String> = []
    /// Places in the JSON of bodies, from the root: keys joined by dots. Arrays on the way are skipped.
    public private(set) var paths: Set<String> = []
    /// Values that are hidden under every name, if they have eight bytes or more.
    package private(set) var values: Set<String> = []
    /// Names that are shown although they are secret by default.
    public private(set) var allowed: Set<String> = []

    /// Creates a value that adds nothing to the default names.
    public init() {}

    /// Creates a value with names to hide in addition to the default ones. See ``add(headers:params:paths:)``.
    public init(headers: String..., params: String..., paths: String...) {
        add(headers, params, paths)
    }

    package init(headers: [String], params: some Sequence<String>) {
        self.headers = Set(headers)
        self.params = Set(params)
    }

    /// Adds names to those already there.
    public mutating func add(headers: String..., params: String..., paths: String...) {
        add(headers, params, paths)
    }

    /// Adds values to hide wherever they stand, such as a key that the app itself puts into texts. A value of fewer than eight bytes is hidden under
    /// names alone.
    ///
    /// The tokens and passwords of a tag's sign-in and the keys of its signer are hidden in any case.
    public mutating func add(values: String...) {
        self.values.formUnion(values)
    }

    /// Shows the values of these headers and params, although their names are secret by default or were added before.
    ///
    /// Names that the tag's sign-in, signature and rules use stay hidden.
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

    /// Adds all names of `other`, which takes precedence over this value.
    public mutating func merge(_ other: Secrets) {
        add(other.headers, other.params, other.paths)
        values.formUnion(other.values)
        allow(other.allowed)
    }

    mutating func removePaths() { paths = [] }

    func merging(_ other: Secrets?) -> Secrets {
        var merged = self
        if let other { merged.merge(other) }
        return merged
    }

    /// The redaction of a tag's calls, or `nil` if it hides no more and no less than the standard one.
    var redaction: Redaction? { redaction(of: []) }

    /// - Parameter holders: The secrets of the tag's sign-in and signer.
    func redaction(of holders: [HeldSecrets]) -> Redaction? {
        let known = KnownSecrets(holders + (values.contains { $0.utf8.count >= KnownSecrets.shortest } ? [HeldSecrets(values)] : []))
        let hasOwnNames = !(headers.union(params).allSatisfy(Redaction.standard.isSecret(name:)) && paths.isEmpty && allowed.isEmpty)
        return hasOwnNames || known != nil ? Redaction(self, hasOwnNames: hasOwnNames, known: known) : nil
    }
}

extension Secrets: CustomStringConvertible, CustomReflectable {
    /// The names, and the number of values.
    public var description: String {
        let names = [("headers", headers), ("params", params), ("paths", paths), ("allowed", allowed)]
        return "Secrets(\(names.map { "\($0): \($1.ordered(by: <))" }.joined(separator: ", ")), \(values.count) values)"
    }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
