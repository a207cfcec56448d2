import CatenaPlatform

/// The members of a ``Request``.
struct RequestContents: Sendable {
    var tag: Tag? { didSet { prepared = nil } }
    /// The name of the rule that describes the call.
    var name: String?
    var location = Location() { didSet { prepared = nil } }
    /// The method that a step has set.
    var chosenMethod: HTTPMethod? { didSet { prepared = nil } }
    var params = Params() { didSet { prepared = nil } }
    var query = Params() { didSet { prepared = nil } }
    /// The names of inherited params to leave out. The call's own params are sent even with these names.
    var removedParams: [String] = [] { didSet { prepared = nil } }
    var headerChanges = HeaderChanges() { didSet { prepared = nil } }
    var body: BodyDescription? { didSet { prepared = nil } }
    /// The summary of the prepared request. A step that changes the request clears it, because the changed request was not prepared.
    /// Boxed, so that each step copies only a reference, which is usually `nil`.
    var prepared: Box<RequestSummary>?
    /// The error with which the call fails, such as that of a step with an invalid argument.
    var fault: (any Error)?
    /// The options that the call sets in place of those of its tag.
    var options = OptionLayer()
    /// The values of options that higher layers define.
    var values = OptionValues()
    /// The values that the app has set with keys of its own.
    var ownValues = OptionValues()
}

/// The address of a request, as the steps describe it.
package struct Location: Sendable {
    package var host: String?
    /// Whether a rule set the host, and not the call itself.
    package var isHostOfRule = false
    /// The reference that the path is, or `nil` if the path is appended to the host's own path.
    package var reference: PathReference?
    /// The key under which the host provider looks up the host, or `nil` for the tag's name.
    package var hostKey: String?
    /// The text of the path.
    package private(set) var path: String?
    /// The places of the interpolated values in the text of the path.
    private var values = PathValues()
    /// The path if its text is not all of it, else empty. An array, because such paths are rare and a location is copied often.
    private var unsettled: [Path] = []
    /// An address that replaces host and path.
    package var absolute: String?
}

extension Location {
    /// Replaces the path.
    package mutating func set(_ path: Path) {
        self.path = path.text
        values = path.values
        unsettled = path.isSettled ? [] : [path]
    }

    /// Whether the text of the path is all of it.
    var isPlain: Bool { unsettled.isEmpty }

    /// The path with its values; names are not filled.
    package func path(in style: ParameterStyle) throws(PathTemplate.Fault) -> String? {
        if let path = unsettled.first { return try path.text(in: style) }
        return path
    }

    /// The path as far as it is known without a call.
    var shownPath: String? { unsettled.first?.shown ?? path }
}

extension Location {
    /// The longest route, in bytes. Longer ones share a route by their beginning.
    private static let longestRoute = 500

    /// The path without its query, with `{}` in place of each value and before its names are filled.
    var route: String {
        if let absolute { return Self.route(absolute) }
        let path = (reference?.prefix ?? "") + values.template(of: path ?? "")
        return Self.route(path)
    }

    /// Returns the route of the calls with a path.
    static func route(of path: Path) -> String { route(path.values.template(of: path.text)) }

    private static func route(_ path: String) -> String {
        let whole = String(Substring(path.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }))
        let rooted = whole.utf8.first == UInt8(ascii: "/") || whole.contains("://") ? whole : "/" + whole
        guard rooted.utf8.count > longestRoute else { return rooted }
        // Cut before a character that the limit would divide.
        return String(rooted[..<rooted.utf8.index(rooted.utf8.startIndex, offsetBy: longestRoute)])
    }
}

/// The properties of a path that is resolved like a link.
package struct PathReference: Sendable {
    /// The text to insert before the path.
    var prefix: String
    /// The description of the rule, for messages.
    var source: String

    package init(prefix: String, source: String) {
        self.prefix = prefix
        self.source = source
    }
}

/// The changes that a call makes to its inherited headers.
package struct HeaderChanges: Sendable {
    package var set = HTTPHeaders()
    var added = HTTPHeaders()
    var removed: [String] = []
    /// The headers that the call's own steps set, or `nil` if no rule added its headers to ``set``.
    package var own: HTTPHeaders?

    func removes(_ name: String) -> Bool {
        !removed.isEmpty && removed.contains { sameHeaderName($0, name) }
    }
}

/// The body as the steps describe it. It is encoded when the request is prepared.
package struct BodyDescription: Sendable {
    enum Content: Sendable {
        case form(Params)
        case json(JSONBodySource)
        case propertyList(ParameterNode)
        case data(Data, contentType: String)
        case file(URL, contentType: String)
        case source(BodySource, contentType: String)
        case multipart(MultipartForm, boundary: String?)
    }

    var content: Content
    /// The step that added the body, for messages.
    var step: String

    /// Whether the body consists of bytes whose content type only its step knows. Inherited content types do not apply to it.
    var isOpaque: Bool {
        switch content {
        case .data, .file, .source: true
        case .form, .json, .propertyList, .multipart: false
        }
    }

    /// The params that form the body, or `nil` if the body is encoded as a whole or is a multipart form.
    var members: Params? {
        switch content {
        case .form(let members), .json(.params(let members)), .propertyList(.object(let members)): members
        case .json, .propertyList, .data, .file, .source, .multipart: nil
        }
    }

    /// Returns the content with other params in place of its own. A content that is not made of params is returned unchanged.
    func content(of members: Params) -> Content {
        switch content {
        case .form: .form(members)
        case .json(.params): .json(.params(members))
        case .propertyList(.object): .propertyList(.object(members))
        case .json, .propertyList, .data, .file, .source, .multipart: content
        }
    }

    var isPropertyList: Bool {
        if case .propertyList = content { true } else { false }
    }

    var form: MultipartForm? {
        if case .multipart(let form, _) = content { form } else { nil }
    }
}
