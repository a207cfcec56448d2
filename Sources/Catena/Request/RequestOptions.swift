/// How the params of a call are encoded.
public enum ParameterEncoding: Sendable {
    /// As a JSON body. GET and HEAD have none and put the params in the query; so does DELETE, unless the call asks for this.
    case json
    /// As a form body, with the same exceptions.
    case form
    /// As an XML property list, with the same exceptions.
    case propertyList
    /// In the query string, with every method.
    case query
    /// By an encoder of the caller's, with the same exceptions: then it writes the query.
    case custom(any ParameterEncoder)
}

/// Where the common params of a call go.
public enum CommonParams: Sendable, Hashable {
    /// To the query string, with every method.
    case query
    /// To where the call's own params go: in the query if its body is not made of params.
    case merged
    /// Nowhere.
    case none
}

/// What a call does with the common headers.
public enum CommonHeaders: Sendable, Hashable {
    /// Sends them; the call's own headers win.
    case merged
    /// Leaves them out.
    case none
}
