/// Code of an app that runs within a call. It may change the request, the response and the error, wait, send the request again, or
/// return a response itself.
///
/// ```swift
/// API.intercept("trace") { call, next in
///     var call = call
///     call.request.headers["X-Trace"] = trace()
///     return try await next(call)
/// }
/// ```
///
/// It runs on no particular thread. Its changes are checked before the request is sent. An error that it throws fails the call, or may
/// lead to another attempt if the interceptor is placed after ``StageName/retry``.
public struct Interceptor: Sendable {
    /// The function of an interceptor: takes a call and the rest of its stages, and returns the response.
    public typealias Body =
        @Sendable (_ call: Call, _ next: @escaping @Sendable (Call) async throws -> HTTPResponse) async throws -> HTTPResponse

    /// The position of an interceptor among the stages.
    public enum Position: Sendable, Hashable {
        /// Around a stage and everything that the stage does.
        case before(StageName)
        /// Inside a stage, around the stages that follow it.
        case after(StageName)
    }

    /// The name of the interceptor. A later one of the same name, in the same client or profile, replaces it.
    public let name: String
    /// The position of the interceptor among the stages.
    public let position: Position
    let body: Body
    /// A number that distinguishes interceptors of the same name in a client; 0 for others.
    private(set) var number = 0

    private static let counter = AtomicCounter()

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - name: The name, by which a later interceptor can replace it.
    ///   - position: The position. By default around each attempt, before credentials and signatures.
    ///   - body: The function of the interceptor.
    public init(_ name: String, _ position: Position = .after(.retry), _ body: @escaping Body) {
        self.name = name
        self.position = position
        self.body = body
    }

    /// Returns the interceptor with a new number.
    func numbered() -> Interceptor {
        var interceptor = self
        interceptor.number = Self.counter.add(1)
        return interceptor
    }
}

extension [Interceptor] {
    /// Adds an interceptor, replacing one of the same name.
    mutating func add(_ interceptor: Interceptor) {
        if let index = firstIndex(where: { $0.name == interceptor.name }) {
            self[index] = interceptor
        } else {
            append(interceptor)
        }
    }
}

extension Interceptor.Position {
    var stage: StageName {
        switch self {
        case .before(let stage), .after(let stage): stage
        }
    }

    /// The place in running order. Each stage has three: before it, the stage itself, after it.
    var order: Int {
        switch self {
        case .before(let stage): stage.order * 3 - 1
        case .after(let stage): stage.order * 3 + 1
        }
    }
}

/// The interceptors of a request or of a profile, both of which store them without knowing them.
enum Interceptors: OptionKey { static let initial: [Interceptor] = [] }

extension Profile {
    /// The interceptors of this backend's calls, which run inside those of the client.
    private(set) var interceptors: [Interceptor] {
        get { values[Interceptors.self] }
        set { values[Interceptors.self] = newValue }
    }

    /// Adds an interceptor to this backend's calls, replacing one of the same name. See ``Interceptor``.
    public mutating func intercept(
        _ name: String,
        _ position: Interceptor.Position = .after(.retry),
        with body: @escaping Interceptor.Body
    ) {
        interceptors.add(Interceptor(name, position, body))
    }
}

extension ProfileLayers {
    var interceptors: [Interceptor] { layers.reversed().flatMap(\.interceptors) }
}

extension CallOptions {
    /// The interceptors of this call, which run inside those of the client and of the tag.
    ///
    /// ```swift
    /// API.get("/rooms").set(\.interceptors, [Interceptor("clock") { call, next in try await measured { try await next(call) } }]).execute()
    /// ```
    public var interceptors: [Interceptor] {
        get { request.interceptors }
        set { request.interceptors = newValue }
    }
}

extension RequestSteps {
    /// Has moved to ``CallOptions/interceptors``.
    @available(*, unavailable, message: "write `set(\\.interceptors, [Interceptor(\"name\") { call, next in … }])`")
    public consuming func intercept(_ position: Interceptor.Position = .after(.retry), with body: @escaping Interceptor.Body) -> Self {
        self
    }
}
