public import Catena

/// The simulated delay and failure of a call.
private enum DebugDelay: OptionKey { static let initial: Duration? = nil }
private enum DebugFailure: OptionKey { static let initial: ErrorCode? = nil }

extension CallOptions {
    /// A delay of the start of the call, which simulates a slow network.
    public var debugDelay: Duration? {
        get { request.values[DebugDelay.self] }
        set {
            request.values[DebugDelay.self] = newValue
            replaceInterceptor(
                "debugDelay",
                newValue.map { delay in
                    Interceptor("debugDelay", .before(.start)) { call, next in
                        try await call.client.clock.sleep(for: delay)
                        return try await next(call)
                    }
                })
        }
    }

    /// The code of a failure without sending, to test an app's error handling.
    public var debugFail: ErrorCode? {
        get { request.values[DebugFailure.self] }
        set {
            request.values[DebugFailure.self] = newValue
            replaceInterceptor(
                "debugFail",
                newValue.map { code in
                    Interceptor("debugFail", .before(.start)) { _, _ in
                        throw APIError(.simulated, code: code, message: "The call was told to fail.")
                    }
                })
        }
    }

    private mutating func replaceInterceptor(_ name: String, _ interceptor: Interceptor?) {
        request.interceptors.removeAll { $0.name == name }
        guard let interceptor else { return }
        // A delay comes before a failure, whichever is set first.
        request.interceptors.insert(interceptor, at: name == "debugDelay" ? 0 : request.interceptors.endIndex)
    }
}
