// Words of RFAPI, so that the compiler names those of Catena.
public import Catena

extension RuleContext {
    /// Explains the error of another library's word.
    @available(*, unavailable, renamed: "params")
    public var parameters: Params {
        get { params }
        set {}
    }

    /// Explains the error of another library's word.
    @available(*, unavailable, renamed: "id")
    public var identifier: String? {
        get { id }
        set {}
    }

    /// Explains the error of another library's word.
    @available(*, unavailable, renamed: "group")
    public var groupIdentifier: String? {
        get { group }
        set {}
    }

    /// Explains the error of another library's word.
    @available(*, unavailable, renamed: "timeout")
    public var timeoutInterval: Duration? {
        get { timeout }
        set {}
    }

    /// Explains the error of another library's word.
    @available(*, unavailable, message: "write `context.request = context.request.loading { isLoading in … }`")
    public var bindControls: [any Sendable] {
        get { [] }
        set {}
    }
}

extension Rules {
    /// Explains the error of another library's word.
    @available(*, unavailable, renamed: "authorizationHeaders")
    public var authorizationHeader: HTTPHeaders {
        get { authorizationHeaders }
        nonmutating set {}
    }

    /// Explains the error of another library's word.
    @available(*, unavailable, renamed: "authorizationParams")
    public var authorizationParameters: Params {
        get { authorizationParams }
        nonmutating set {}
    }
}
