/// How often a credential may be refreshed in a while, so that a backend that refuses every credential is not asked for ever.
public struct RefreshWindow: Sendable, Equatable {
    /// How many refreshes there may be.
    public var limit: Int
    /// Within which time.
    public var interval: Duration

    public init(limit: Int, per interval: Duration) {
        self.limit = limit
        self.interval = interval
    }

    /// Five refreshes in half a minute.
    public static let standard = RefreshWindow(limit: 5, per: .seconds(30))
}
