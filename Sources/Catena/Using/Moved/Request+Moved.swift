public import CatenaPlatform

// Steps of version 0.10 that have another name, so that the compiler says which.
extension RequestSteps {
    /// Has moved to ``CallOptions/acceptedTypes``.
    @available(*, unavailable, message: "write `set(\\.acceptedTypes, [\"application/pdf\"])`")
    public consuming func accept(_ types: String...) -> Self { self }

    /// Has moved to ``CallOptions/control``.
    @available(*, unavailable, message: "write `set(\\.control, control)`")
    public consuming func control(_ control: TransferControl) -> Self { self }

    /// Has moved to ``CallOptions/decoding``.
    @available(*, unavailable, message: "write `set(\\.decoding, .lenient)`")
    public consuming func decoding(_ decoding: Decoding) -> Self { self }

    /// Has moved to ``CallOptions/firstByteTimeout``.
    @available(*, unavailable, message: "write `set(\\.firstByteTimeout, .seconds(3))`")
    public consuming func firstByteTimeout(_ timeout: Duration) -> Self { self }

    /// Has moved to ``CallOptions/idleTimeout``.
    @available(*, unavailable, message: "write `set(\\.idleTimeout, .seconds(5))`")
    public consuming func idleTimeout(_ timeout: Duration) -> Self { self }

    /// Has moved to ``CallOptions/hedgeDelay``.
    @available(*, unavailable, message: "write `set(\\.hedgeDelay, .milliseconds(80))`")
    public consuming func hedge(after delay: Duration?) -> Self { self }

    /// Has moved to ``CallOptions/idempotencyKey``.
    @available(*, unavailable, message: "write `set(\\.idempotencyKey, .random)`, or a key of your own in place of `.random`")
    public consuming func idempotencyKey(_ key: String? = nil) -> Self { self }

    /// Has moved to ``CallOptions/priority``.
    @available(*, unavailable, message: "write `set(\\.priority, .high)`")
    public consuming func priority(_ priority: CallPriority) -> Self { self }

    /// Has moved to ``CallOptions/unwrap``.
    @available(*, unavailable, message: "write `set(\\.unwrap, .path(\"data.list\"))`")
    public consuming func unwrap(_ part: Unwrap) -> Self { self }

    /// Has moved to ``encoding(style:)``.
    @available(*, unavailable, renamed: "encoding(style:)")
    public consuming func parameterStyle(_ style: ParameterStyle) -> Self { self }

    /// Has moved to ``encoding(_:)-((ParameterStyle)->Void)``.
    @available(*, unavailable, renamed: "encoding(_:)")
    public consuming func parameterStyle(_ change: @escaping @Sendable (inout ParameterStyle) -> Void) -> Self { self }

    /// Has moved to ``body(propertyList:)-(Params)``.
    @available(*, unavailable, renamed: "body(propertyList:)")
    public consuming func propertyList(_ members: Params) -> Self { self }

    /// Has moved to ``body(propertyList:)-(Encodable)``.
    @available(*, unavailable, renamed: "body(propertyList:)")
    @_disfavoredOverload
    public consuming func propertyList(_ value: some Encodable) -> Self { self }

    /// Has moved to ``body(file:contentType:)``.
    @available(*, unavailable, renamed: "body(file:contentType:)")
    public consuming func upload(file: URL, contentType: String? = nil) -> Self { self }

    /// Has moved to `onProgress(to:_:)`.
    @available(*, unavailable, renamed: "onProgress(to:_:)")
    public consuming func reporting<Progress>(to progress: Progress, _ direction: TransferProgress.Direction = .download) -> Self { self }
}

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
