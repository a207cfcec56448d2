/// By what a recorded call is told from another one.
public struct RecordingMatch: Sendable, Equatable {
    /// Names of params that differ each time without a meaning.
    public var volatileParams: Set<String> = ["timestamp", "nonce", "sign", "signature"]
    /// Names of headers, in lower case, that say which answer is wanted. Others differ from machine to machine.
    public var headers: Set<String> = ["accept", "accept-language"]

    public init() {}
}
