// What is kept or shared under a key must have been asked for by the request that the key is made of. What stages of Catena's own add to a
// request, such as the credential, whose user is a part of the key, is added to a second copy; what anybody else puts in is not.
extension Call {
    /// The call whose answer may be kept or shared under a key that is made of its request as it is now.
    func keyed() -> Call {
        if keyedRequest != nil { return self }
        var call = self
        call.keyedRequest = prepared.adding(profile.cookieJar)
        return call
    }

    /// The call with conditions in its request, about an answer that is kept under its key.
    func asking(_ conditional: HTTPRequest) -> Call {
        var call = self
        call.prepared = conditional
        call.keyedRequest = keyedRequest?.changed(as: conditional, was: prepared)
        return call
    }

    /// Adds to the keyed request what a stage has added to the other one.
    mutating func note(_ added: AddedFields) {
        guard var keyed = keyedRequest else { return }
        added.add(to: &keyed)
        keyedRequest = keyed
    }

    /// Adds a header that a stage of Catena's own has made.
    mutating func add(_ value: String, for header: String) {
        prepared.headers[header] = value
        keyedRequest?.headers[header] = value
    }

    /// Notes what really goes out, cookies included.
    func noteSending(_ request: HTTPRequest) {
        guard let keyed = keyedRequest else { return }
        let rules = profile.requestKeyRules
        // Mostly they are equal, which is cheaper to see.
        let isSame =
            request == keyed
            || RequestKey.sharing(request, tag: nil, identity: nil, rules: rules)
                == RequestKey.sharing(keyed, tag: nil, identity: nil, rules: rules)
        execution.log.note(isSame ? .same : .different)
    }
}

/// How what a call has sent is to the request that its key is made of.
enum KeyLikeness: Sendable {
    /// Nothing was sent.
    case unsent
    case same
    /// Something that the key does not know of was put in, or left out, at least once.
    case different
}
