import Foundation

/// What a ``Request`` is made of.
struct RequestContents: Sendable {
    var tag: Tag? { didSet { prepared = nil } }
    /// The name of what describes the call beneath what its steps say.
    var name: String?
    var location = Location() { didSet { prepared = nil } }
    /// The method that a step has set.
    var chosenMethod: HTTPMethod? { didSet { prepared = nil } }
    var params = Params() { didSet { prepared = nil } }
    var query = Params() { didSet { prepared = nil } }
    /// Params to be left out that the tag or the common closures give; what the call sets itself is sent all the same.
    var removedParams: [String] = [] { didSet { prepared = nil } }
    var headerChanges = HeaderChanges() { didSet { prepared = nil } }
    var body: BodyDescription? { didSet { prepared = nil } }
    /// What went out of it. A step makes it another request, of which nothing has gone out.
    var prepared: PreparedRequest?
    /// Why a value that a step was given has no form as params; the call fails with it.
    var fault: (any Error)?
    var options = RequestOptions() { didSet { hasOptions = true } }
    /// Whether a step may have said anything about how the call goes. To ask is much less than to look at each option.
    private(set) var hasOptions = false
    /// What upper floors have added.
    var values = OptionValues()
}

/// What is known of a request that was prepared. An object, since a request is copied by each step and this is mostly missing.
final class PreparedRequest: Sendable {
    let summary: RequestSummary

    init(_ summary: RequestSummary) {
        self.summary = summary
    }
}

/// Where a request goes, as the steps said it.
struct Location: Sendable {
    var host: String?
    /// Whether the host is the one that a rule names, and not one of the call's own.
    var isHostOfRule = false
    /// What the path is instead of something to be appended: a reference, resolved as in a link.
    var reference: PathReference?
    /// What a host provider is asked for in place of the tag's name.
    var hostKey: String?
    /// The text of the path.
    private(set) var path: String?
    /// Pieces that are rare: they are kept apart, since a location is copied often.
    private var pieces: [PathPiece] = []
    /// An address that replaces host and path.
    var absolute: String?
}

/// A piece of a path beside its text.
private enum PathPiece: Sendable {
    /// The whole path, of which the text lacks something. It comes first.
    case path(Path)
    /// A whole segment, to be appended to the path.
    case segment(ParameterNode)
}

extension Location {
    /// Replaces path and segments.
    mutating func set(_ path: Path) {
        self.path = path.text
        pieces = path.isSettled ? [] : [.path(path)]
    }

    /// Replaces the path and keeps the segments.
    mutating func set(pathOfRule path: Path) {
        let segments = segments
        set(path)
        for segment in segments { append(segment) }
    }

    mutating func append(_ segment: ParameterNode) {
        pieces.append(.segment(segment))
    }

    /// Whole path segments, to be appended to the path.
    var segments: [ParameterNode] {
        if pieces.isEmpty { return [] }
        return pieces.compactMap { if case .segment(let node) = $0 { node } else { nil } }
    }

    /// The path where its text is not all.
    private var unsettledPath: Path? {
        if case .path(let path)? = pieces.first { path } else { nil }
    }

    /// The path with its values; names are not filled.
    func path(in style: ParameterStyle) throws(PathTemplate.Fault) -> String? {
        if let unsettledPath { return try unsettledPath.text(in: style) }
        return path
    }

    /// The path as far as it is known without a call.
    var shownPath: String? { unsettledPath?.shown ?? path }
}

/// How a path that is a reference is read.
struct PathReference: Sendable {
    /// What stands before the path.
    var prefix: String
    /// Who says so, for messages.
    var source: String
}

/// What the call does to the headers that it inherits.
struct HeaderChanges: Sendable {
    var set = HTTPHeaders()
    var added = HTTPHeaders()
    var removed: [String] = []
    /// What the call's own steps have set, where others have put more into ``set``.
    var own: HTTPHeaders?

    func removes(_ name: String) -> Bool {
        removed.contains { sameHeaderName($0, name) }
    }
}

/// The body as the steps described it; encoded when the request is prepared.
struct BodyDescription: Sendable {
    enum Content: Sendable {
        /// The call's params, in this encoding.
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

    /// Whether the body is bytes of which only the step can say what they are.
    var isOpaque: Bool {
        switch content {
        case .data, .file, .source: true
        case .form, .json, .propertyList, .multipart: false
        }
    }

    /// The params of which the body is made. What is encoded as a whole is not looked into.
    var members: Params? {
        switch content {
        case .form(let members), .json(.params(let members)), .propertyList(.object(let members)): members
        case .json, .propertyList, .data, .file, .source, .multipart: nil
        }
    }

    /// What the body is if it is made of other params.
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

/// How a call differs from what its tag says. `nil` is what the tag says.
struct RequestOptions: Sendable {
    var encoding: ParameterEncoding?
    var parameterStyle: ParameterStyle?
    /// What the call changes in that style, or in the tag's.
    var styleChanges: [@Sendable (inout ParameterStyle) -> Void] = []
    var timeout: Duration?
    var firstByteTimeout: Duration?
    var idleTimeout: Duration?
    var deadline: Duration?
    var retry: RetryPolicy?
    var hedge: Hedge?
    var envelope: Envelope?
    var unwrap: Unwrap?
    var decoding: Decoding?
    var acceptedTypes: AcceptedTypes?
    /// Whether property lists are what the call gets, whatever their media type.
    var takesPropertyLists = false
    /// Finds errors that only this call knows.
    var errorFinder: CallErrorFinder?
    var commonParams: CommonParams?
    var commonHeaders: CommonHeaders?
    var isAuthenticated: Bool?
    var cachePolicy: CachePolicy?
    var dedupe: Bool?
    var priority = CallPriority.normal
    var idempotencyKey: IdempotencyKeySource?
    var before: [@Sendable () async throws -> Void] = []
    var progressObservers: [ProgressObserver] = []
    var control: TransferControl?
    var id: String?
    var group: String?
    /// What carries the call's requests in place of the client's transport.
    var transport: (any CallTransport)?
}
