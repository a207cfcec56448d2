/// Everything that a client is configured with.
struct Settings: Sendable {
    private(set) var profiles: [ProfileKey: Profile] = [:]
    var environment = API.Environment.production
    var environmentStore: (any EnvironmentStore)?
    var hostOverrides: [Tag: String] = [:]
    var hostStore: (any HostStore)?
    var commonParams: CommonSource<Params>?
    var commonHeaders: CommonSource<HTTPHeaders>?
    var errorMessages: (@Sendable (APIError) -> String?)?
    var errorHandler: ErrorHandler?
    var interceptors: [Interceptor] = []
    var observers: [CallObserver] = []
    /// Who watches the calls while they run.
    var watchers: [any CallWatcher] = []
    /// Who keeps those that fail while nobody watches.
    var keepers: [any FailureKeeper] = []
    /// Adds stages of an upper floor to the plan of each call.
    var addStages: (@Sendable (inout [any Stage]) -> Void)?
    /// What upper floors have added.
    var values = OptionValues()
    /// Names of what those hide of every call.
    var secrets = Secrets()
    /// Counts the changes of each profile, so that one that was made from an outdated copy is noticed.
    private(set) var revisions: [ProfileKey: Int] = [:]

    subscript(place: ProfileKey) -> Profile {
        get { profiles[place] ?? Profile() }
        set {
            revisions[place, default: 0] += 1
            profiles[place] = newValue
        }
    }

    /// What holds for every call whose tag does not say otherwise, in every environment.
    var defaults: Profile { self[ProfileKey()] }

    /// What is said about a tag, or about all of them, that counts in the environment of the moment.
    fileprivate func layers(_ tag: Tag?) -> ProfileLayers {
        ProfileLayers(
            [
                tag.flatMap { hostOverrides[$0] }.map { Profile(host: $0) }, profiles[ProfileKey(tag: tag, environment: environment)],
                profiles[ProfileKey(tag: tag)],
            ], in: environment)
    }
}

/// What a profile is for: one tag or all of them, in one environment or all of them.
struct ProfileKey: Hashable, Sendable {
    var tag: Tag?
    var environment: API.Environment?
}

/// The configuration of one moment. A call reads it once, at its start, and keeps to it.
final class Snapshot: Sendable {
    let settings: Settings
    private let profiles: [Tag: ResolvedProfile]
    private let untagged: ResolvedProfile

    init(_ settings: Settings) {
        self.settings = settings
        let defaults = settings.layers(nil)
        untagged = ResolvedProfile(ProfileLayers([], in: settings.environment), over: defaults, hiding: settings.secrets)
        profiles = Set(settings.profiles.keys.compactMap(\.tag)).union(settings.hostOverrides.keys).reduce(into: [:]) { profiles, tag in
            profiles[tag] = ResolvedProfile(settings.layers(tag), over: defaults, hiding: settings.secrets)
        }
    }

    func profile(for tag: Tag?) -> ResolvedProfile {
        guard let tag else { return untagged }
        return profiles[tag] ?? untagged
    }

    func isConfigured(_ tag: Tag) -> Bool { profiles[tag] != nil }

    /// The configured tags, for messages.
    var tagNames: [String] { profiles.keys.map(\.name).sorted() }
}

/// Sees the error of a failed call, with the request as it was described, and says how the call goes on.
public typealias ErrorHandler = @Sendable (APIError, Request) async -> ErrorDecision

/// How a failed call goes on.
public enum ErrorDecision: Sendable {
    /// It fails with the error.
    case proceed
    /// It fails with another error.
    case replace(with: APIError)
    /// It ends as if it had been cancelled: `catch` is not called, `finally` is, and awaiting it throws a `CancellationError`. For
    /// what has been dealt with.
    case cancelSilently
}
