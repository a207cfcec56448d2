// Names of version 0.10, for one version, so that the compiler names the new one.
public import Catena
public import CatenaPlatform

/// Request that a server received.
@available(*, unavailable, renamed: "StubRequest")
public typealias RecordedRequest = StubRequest

/// Reply of a server.
@available(*, unavailable, renamed: "StubReply")
public typealias LoopbackResponse = StubReply

extension StubRequest {
    /// Item of a query or a form.
    @available(*, unavailable, message: "read `query(name)` or `form(name)`")
    public typealias Item = String

    /// Explains the error of the former name.
    @available(*, unavailable, renamed: "text")
    public var bodyText: String { text }

    /// Explains the error of the former list.
    @available(*, unavailable, message: "write `query(name)`, or read `target`")
    public var query: [String] { [] }

    /// Explains the error of the former list.
    @available(*, unavailable, message: "write `form(name)`, or read `text`")
    public var form: [String] { [] }

    /// Explains the error of the former method.
    @available(*, unavailable, message: "read `json`, or decode `body`")
    public func json<Value: Decodable>(as type: Value.Type) throws -> Value { try JSONDecoder().decode(type, from: body) }
}

extension StubReply {
    /// Explains the error of the former name.
    @available(*, unavailable, message: "write `.body(data, status: …, contentType: …)`")
    public static func data(_ data: Data, contentType: String = "application/octet-stream", status: Int = 200) -> StubReply {
        body(data, status: status, contentType: contentType)
    }

    /// Explains the error of the former name.
    @available(*, unavailable, renamed: "connectionLost")
    public static var closed: StubReply { connectionLost }

    /// Explains the error of the former name.
    @available(*, unavailable, renamed: "header(_:adding:)")
    public func addHeader(_ name: String, _ value: String) -> StubReply { header(name, adding: value) }

    /// Explains the error of the former name.
    @available(*, unavailable, renamed: "dripping(_:every:)")
    public func chunked(by size: Int, every interval: Duration = .zero) -> StubReply { dripping(size, every: interval) }

    /// Explains the error of a word that meant two things.
    @available(
        *, unavailable,
        message: "write `connectionLost(after:)` for a connection that ends early; a body that looks complete is a shorter body"
    )
    public func truncated(after bytes: Int) -> StubReply { self }

    /// Explains the error of the former initializer.
    @available(*, unavailable, message: "write `.status(…)`, `.text(…)`, `.body(…)` or `.json(…)`, and `.header(name, value)` behind it")
    public init(status: Int = 200, reason: String? = nil, headers: HTTPHeaders = [:], body: Data = Data()) {
        self = .status(status, headers: headers)
    }

    /// Explains the error of the former property.
    @available(*, unavailable, message: "write `.text(…)`, `.body(…)` or `.json(…)`")
    public var body: Data {
        get { Data() }
        set {}
    }

    /// Explains the error of the former property.
    @available(*, unavailable, message: "write `.raw(…)` for another reason phrase")
    public var reason: String? {
        get { nil }
        set {}
    }
}
