// On an optional setting `.none` means "not set", which reads like "no envelope" or "no retries". Because of these members the compiler
// reports `.none` as ambiguous there, and lists them.

extension Optional where Wrapped == Envelope {
    /// Deprecated: write `.raw` for responses without an envelope, `nil` for no setting.
    @available(*, deprecated, message: "write .raw for responses without an envelope, nil for what is not set")
    public static var none: Envelope? { nil }
}

extension Optional where Wrapped == RetryPolicy {
    /// Deprecated: write `.never` for no retries, `nil` for no setting.
    @available(*, deprecated, message: "write .never for no retries, nil for what is not set")
    public static var none: RetryPolicy? { nil }
}

extension Optional where Wrapped == CachePolicy {
    /// Deprecated: write `.never` for no cache, `nil` for no setting.
    @available(*, deprecated, message: "write .never for no cache, nil for what is not set")
    public static var none: CachePolicy? { nil }
}
