/// Code of an app's own on the way of a call: it may change the request, the response and the error, wait, send the request again, or
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
/// It runs on no particular thread. What it changes is checked again before it goes out, and what it throws fails the call (or is a
/// reason for another attempt, if it stands after ``StageName/retry``).
public struct Interceptor: Sendable {
    /// What an interceptor does: it takes a call and the rest of the call's way, and returns the response.
    public typealias Body =
        @Sendable (_ call: Call, _ next: @escaping @Sendable (Call) async throws -> HTTPResponse) async throws -> HTTPResponse

    /// Where an interceptor stands among the stages.
    public enum Position: Sendable, Hashable {
        /// Around a stage, with all that the stage does inside.
        case before(StageName)
        /// Inside a stage, around those that follow it.
        case after(StageName)
    }

    /// Another interceptor of the same name in the same place of configuration takes its place.
    public let name: String
    /// Where the interceptor stands among the stages.
    public let position: Position
    let body: Body
    /// Tells those of a client apart that have had the same name; 0 for others.
    private(set) var number = 0

    private static let counter = AtomicCounter()

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - name: The name, by which a later interceptor can take its place.
    ///   - position: Around each attempt, before credentials and signatures, unless it says something else.
    ///   - body: What the interceptor does.
    public init(_ name: String, _ position: Position = .after(.retry), _ body: @escaping Body) {
        self.name = name
        self.position = position
        self.body = body
    }

    /// The interceptor with a number of its own.
    func numbered() -> Interceptor {
        var interceptor = self
        interceptor.number = Self.counter.add(1)
        return interceptor
    }
}

extension [Interceptor] {
    /// Adds an interceptor, in place of one of the same name.
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

    /// Three steps for each stage: before it, the stage, after it.
    var order: Int {
        switch self {
        case .before(let stage): stage.order * 3 - 1
        case .after(let stage): stage.order * 3 + 1
        }
    }
}

extension RequestSteps {
    /// Adds an interceptor to this call, inside those of the client and of the tag. See ``Interceptor``.
    public consuming func intercept(
        _ position: Interceptor.Position = .after(.retry),
        with body: @escaping Interceptor.Body
    ) -> Self {
        request.interceptors.append(Interceptor("call", position, body))
        return self
    }
}
