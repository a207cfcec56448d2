/// Errors that only some calls know: those of a ``ResponseFamily``, and those of an ``Endpoint``.
struct OwnErrors: Sendable {
    /// The types that know them; calls that ask the same types may share an answer.
    private(set) var types: [ObjectIdentifier]
    /// The error that an answer stands for, if one of the types says so.
    private(set) var error: @Sendable (Reading) -> (any Error)?

    init<Described: Endpoint>(of endpoint: Described) {
        types = [ObjectIdentifier(Described.self)]
        error = { endpoint.error(in: $0) }
    }

    init(of family: any ResponseFamily.Type) {
        types = [ObjectIdentifier(family)]
        error = { family.error(in: $0) }
    }

    /// The errors of a family come before those that the call knows already.
    mutating func prepend(_ family: any ResponseFamily.Type) {
        guard !types.contains(ObjectIdentifier(family)) else { return }
        let former = error
        types.append(ObjectIdentifier(family))
        error = { family.error(in: $0) ?? former($0) }
    }
}

extension Request {
    /// A copy that knows the errors of the family that a target belongs to, if there is one.
    func asking<Value>(for target: Target<Value>) -> Request {
        guard let family = target.family else { return self }
        var request = self
        if request.options.ownErrors == nil {
            request.options.ownErrors = OwnErrors(of: family)
        } else {
            request.options.ownErrors?.prepend(family)
        }
        return request
    }
}
