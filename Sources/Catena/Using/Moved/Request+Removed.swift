// Steps of version 0.10 for which another step does the same, so that the compiler says which.
extension RequestSteps {
    /// Has moved to ``header(_:adding:)-(String,_)``.
    @available(*, unavailable, message: "write `header(name, adding: value)`")
    @_alwaysEmitIntoClient
    public consuming func addHeader(_ name: String, _ value: String) -> Self { self }

    /// Has moved to ``header(_:adding:)-(HTTPHeaders.Name,_)``.
    @available(*, unavailable, message: "write `header(name, adding: value)`")
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public consuming func addHeader(_ name: HTTPHeaders.Name, _ value: String) -> Self { self }

    /// Has moved to ``header(_:_:)-(String,String?)``.
    @available(*, unavailable, message: "write `header(name, nil)`, which also leaves out a common header")
    @_alwaysEmitIntoClient
    public consuming func removeHeader(_ name: String) -> Self { self }

    /// Has moved to ``header(_:_:)-(HTTPHeaders.Name,String?)``.
    @available(*, unavailable, message: "write `header(name, nil)`, which also leaves out a common header")
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public consuming func removeHeader(_ name: HTTPHeaders.Name) -> Self { self }

    /// Has moved to ``param(_:_:)``.
    @available(*, unavailable, message: "write `param(name, nil)`, which also leaves out a common param")
    @_alwaysEmitIntoClient
    public consuming func removeParam(_ name: String) -> Self { self }

    /// Has moved to ``CallOptions/dedupe``.
    @available(*, unavailable, message: "write `set(\\.dedupe, true)`")
    @_alwaysEmitIntoClient
    public consuming func dedupe(_ shares: Bool = true) -> Self { self }

    /// Has moved to the literal of a path.
    @available(*, unavailable, message: "write the values into the path: `path(\"/rooms/\\(id)\")`, each of which is one segment")
    @_alwaysEmitIntoClient
    public consuming func segments(_ segments: any ParameterValue...) -> Self { self }
}
