import Catena

/// The texts that a recording hides, and the permitted differences between a call and its recording.
///
/// Secrets with well-known names are always hidden: `Authorization`, `token`, `user[password]`, cookies.
///
/// ```swift
/// let recording = try Recording(file, mode: .replay) { rules in
///     rules.hiddenNames = ["phone"]
///     rules.hiddenPaths = ["data.users[*].email"]
///     rules.volatileParams.insert("ts")
/// }
/// ```
///
/// Replay a recording with the rules with which it was made, because a call is compared after its secrets have been hidden.
public struct RecordingRules: Sendable {
    /// The names of params and JSON members to ignore when calls are compared, because they differ each time.
    public var volatileParams: Set<String> = ["timestamp", "nonce", "sign", "signature"]
    /// The names of headers to compare, in lower case. Others are ignored, because they differ between machines.
    public var comparedHeaders: Set<String> = ["accept", "accept-language"]
    /// Additional names of headers, params, form fields and JSON members whose values are secrets.
    public var hiddenNames: Set<String> = []
    /// The paths of secrets in JSON bodies of requests and responses, such as `data.users[*].email`. All values below a path are hidden.
    public var hiddenPaths: [String] = []
    /// Regular expressions for secrets in any text.
    public var hiddenPatterns: [String] = []
    /// Names that look like those of secrets but are not, such as `key` for the key of a list.
    public var harmlessNames: Set<String> = []
    /// Texts that look like secrets but are not, such as a made-up token.
    public var harmlessValues: Set<String> = []

    /// Makes the default rules.
    public init() {}
}
