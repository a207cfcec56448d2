/// Determines when a call starts a second attempt beside a slow first one.
struct Hedge: Sendable, Hashable {
    /// The time that the first attempt has to receive its response, or `nil` for no second attempt.
    var delay: Duration?
    /// Whether the call itself sets the delay, and not its tag.
    var isOwn = false
}
