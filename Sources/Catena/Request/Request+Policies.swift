import Foundation

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

    /// Sets whether this call shares the response of an identical active call. Only GET and HEAD calls do.
    @_specialize(where Self == Request)
    public consuming func dedupe(_ shares: Bool = true) -> Self {
        request.options[\.dedupe] = shares
        return self
    }
}
