import CatenaPlatform

extension RequestSteps {
    /// Sets whether the call sends the tag's credential. Without this step it does, if the tag has ``Profile/authentication``.
    ///
    /// A call that signs a user in needs `authenticated(false)`.
    @_specialize(where Self == Request)
    public consuming func authenticated(_ isAuthenticated: Bool = true) -> Self {
        request.options[\.isAuthenticated] = isAuthenticated
        return self
    }

    /// Sets when the call uses a stored response, in place of the tag's policy. It has an effect only if the tag has a ``Profile/cache``.
    @_specialize(where Self == Request)
    public consuming func cache(_ policy: CachePolicy) -> Self {
        request.options[\.cachePolicy] = policy
        return self
    }

    /// Lets this call join an identical active one, whatever its method, so that a button that is tapped twice sends one request.
    ///
    /// ```swift
    /// API.tag(.forum).post("/orders").json(["room": 7]).once().execute(as: Order.self)
    /// ```
    ///
    /// Calls are identical if they agree in method, address, headers, body, tag, user and cookies, as far as ``Profile/requestKeyRules`` compare
    /// them. A call that joins receives the response or the failure of the first one. A call that begins afterwards is sent.
    ///
    /// The call fails with ``APIError/Kind/invalidRequest`` if it cannot be joined. Such calls are streams, downloads, and calls whose body is
    /// read while it is sent.
    ///
    /// - Parameter isOnce: Whether the call joins; `false` removes the step.
    @_specialize(where Self == Request)
    public consuming func once(_ isOnce: Bool = true) -> Self {
        request.options[\.isOnce] = isOnce
        return self
    }
}
