// On an optional setting `.none` means "not set", which reads like "no envelope" or "no retries". With these the compiler calls `.none` ambiguous
// there, and shows them.

extension Optional where Wrapped == Envelope {
    /// Not to be used: write `.raw` for responses without an envelope, `nil` for what is not set.
    @available(*, deprecated, message: "write .raw for responses without an envelope, nil for what is not set")
    public static var none: Envelope? { nil }
}

extension Optional where Wrapped == RetryPolicy {
    /// Not to be used: write `.never` for no retries, `nil` for what is not set.
    @available(*, deprecated, message: "write .never for no retries, nil for what is not set")
    public static var none: RetryPolicy? { nil }
}

extension Optional where Wrapped == CachePolicy {
    /// Not to be used: write `.never` for no cache, `nil` for what is not set.
    @available(*, deprecated, message: "write .never for no cache, nil for what is not set")
    public static var none: CachePolicy? { nil }
}
