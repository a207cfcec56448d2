import Catena

extension Rule: CustomStringConvertible, CustomReflectable {
    /// The name, method and address with the headers and params, all without secrets.
    public var description: String {
        let place = [base, pathPrefix, path?.shown].compactMap { $0.map(Redaction.current.redact(place:)) }.joined(separator: " ")
        let parts = [name, method?.name, place.isEmpty ? nil : place, headers.map { "\($0)" }, params.map { "\($0)" }]
        return Redaction.unbroken(parts.compactMap { $0 }.joined(separator: " "))
    }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension RuleSet: CustomStringConvertible, CustomReflectable {
    /// The rules by name, without secrets.
    public var description: String { "\(([standard] + names.compactMap { self[$0] }))" }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
