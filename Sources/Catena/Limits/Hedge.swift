/// When a call gets a second attempt beside its first, which is slow.
struct Hedge: Sendable, Hashable {
    /// How long the first attempt has for its response; `nil`: there is no second one.
    var delay: Duration?
    /// Whether the call itself says so, and not its tag.
    var isOwn = false

    /// The name of what says so, for messages.
    var step: String { isOwn ? "hedge" : "hedgeDelay" }
}
