/// Everything that a client is configured with.
struct Settings: Sendable {
    typealias ParamsSource = @Sendable (Tag?) async throws -> Params
    typealias HeadersSource = @Sendable (Tag?) async throws -> HTTPHeaders

    var defaults = Profile()
    var profiles: [Tag: Profile] = [:]
    var commonParams: ParamsSource?
    var commonHeaders: HeadersSource?
    var errorMessages: (@Sendable (APIError) -> String?)?
    var errorHandler: ErrorHandler?
    var interceptors: [Interceptor] = []
    /// Boxed: settings are copied on the way of every call, and most calls have no rule.
    private var boxedRules = Box(RuleSettings())
    var observers: [@Sendable (CallEvent) -> Void] = []
    /// Counts the changes of each profile, so that one that was made from an outdated copy is noticed; `nil` are the defaults.
    private(set) var revisions: [Tag?: Int] = [:]

    var rules: RuleSettings {
        get { boxedRules.value }
        set { boxedRules = Box(newValue) }
    }

    /// The profile of a tag, or the defaults.
    subscript(tag: Tag?) -> Profile {
        get { tag.map { profiles[$0] ?? Profile() } ?? defaults }
        set {
            revisions[tag, default: 0] += 1
            if let tag { profiles[tag] = newValue } else { defaults = newValue }
        }
    }
}

/// The configuration of one moment. A call reads it once, at its start, and keeps to it.
final class Snapshot: Sendable {
    let settings: Settings
    private let profiles: [Tag: ResolvedProfile]
    private let untagged: ResolvedProfile

    init(_ settings: Settings) {
        self.settings = settings
        profiles = settings.profiles.mapValues { ResolvedProfile($0, over: settings.defaults) }
        untagged = ResolvedProfile(Profile(), over: settings.defaults)
    }

    func profile(for tag: Tag?) -> ResolvedProfile {
        guard let tag else { return untagged }
        return profiles[tag] ?? untagged
    }

    func isConfigured(_ tag: Tag) -> Bool { profiles[tag] != nil }

    /// The configured tags, for messages.
    var tagNames: [String] { profiles.keys.map(\.name).sorted() }
}
