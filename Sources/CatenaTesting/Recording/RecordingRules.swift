import Catena

/// What a recording hides, and what may differ between a call and its recording.
///
/// Secrets that go by their names are hidden anyway: `Authorization`, `token`, `user[password]`, cookies.
///
/// ```swift
/// let recording = try Recording(file, mode: .replay) { rules in
///     rules.hiddenNames = ["phone"]
///     rules.hiddenPaths = ["data.users[*].email"]
///     rules.matching.volatileParams.insert("ts")
/// }
/// ```
///
/// A recording is replayed with the rules with which it was made: a call is compared as it would have been written.
public struct RecordingRules: Sendable {
    /// Which params and members of a JSON body are ignored when calls are compared, and which headers have to be equal.
    public var matching = RecordingMatch()
    /// More names of headers, params, fields of forms and members of JSON whose values are secrets.
    public var hiddenNames: Set<String> = []
    /// Where in JSON bodies, of requests and of responses, a secret is: `data.users[*].email`. What is below the place is hidden with it.
    public var hiddenPaths: [String] = []
    /// Regular expressions for secrets in any text.
    public var hiddenPatterns: [String] = []
    /// Names that look like those of secrets and are none, such as `key` where it is the key of a list.
    public var harmlessNames: Set<String> = []
    /// Texts that look like secrets and are none, such as a made-up token.
    public var harmlessValues: Set<String> = []

    /// Makes the default rules.
    public init() {}
}
