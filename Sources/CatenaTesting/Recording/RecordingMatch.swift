/// The rules by which a call matches a recorded call.
public struct RecordingMatch: Sendable, Equatable {
    /// The names of params to ignore, because they differ each time.
    public var volatileParams: Set<String> = ["timestamp", "nonce", "sign", "signature"]
    /// The names of headers to compare, in lower case. Others are ignored, because they differ between machines.
    public var headers: Set<String> = ["accept", "accept-language"]

    /// Makes the default rules, which suit most backends.
    public init() {}
}
