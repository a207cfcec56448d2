extension Rule: CustomStringConvertible, CustomReflectable {
    /// Name, method and place, and the headers and params without secrets.
    public var description: String {
        let place = [base, pathPrefix, path?.shown].compactMap { $0.map(Redaction.current.redact(place:)) }.joined(separator: " ")
        let parts = [name, method?.name, place.isEmpty ? nil : place, headers.map { "\($0)" }, params.map { "\($0)" }]
        return Redaction.unbroken(parts.compactMap { $0 }.joined(separator: " "))
    }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension RuleSet: CustomStringConvertible, CustomReflectable {
    /// The rules by their names, without secrets.
    public var description: String { "\(([standard] + names.compactMap { self[$0] }))" }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
