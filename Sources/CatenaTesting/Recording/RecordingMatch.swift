/// What has to be equal for a call to match a recorded one.
public struct RecordingMatch: Sendable, Equatable {
    /// Names of params that are ignored, since they change each time.
    public var volatileParams: Set<String> = ["timestamp", "nonce", "sign", "signature"]
    /// Names of headers, in lower case, that have to be equal. Others are ignored, since they differ from machine to machine.
    public var headers: Set<String> = ["accept", "accept-language"]

    /// Makes the rules that suit most backends.
    public init() {}
}
