/// How the params of a call are encoded.
public enum ParameterEncoding: Sendable, Hashable {
    /// As a JSON body; in the query for GET, HEAD and DELETE.
    case json
    /// As a form body; in the query for GET, HEAD and DELETE.
    case form
    /// As an XML property list; in the query for GET, HEAD and DELETE.
    case propertyList
    /// In the query string, with every method.
    case query
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
