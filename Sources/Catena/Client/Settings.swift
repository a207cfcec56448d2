/// The whole configuration of a client.
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
    /// The watchers of running calls.
    var watchers: [any CallWatcher] = []
    /// The keepers of failed calls that had no trace.
    var keepers: [any FailureKeeper] = []
    /// Adds stages of an upper layer to the plan of each call.
    var addStages: (@Sendable (inout [any Stage]) -> Void)?
    /// The values that upper layers have added.
    var values = OptionValues()
    /// The names that upper layers hide in every call.
    var secrets = Secrets()
    /// The number of changes of each profile, by which a change to an outdated copy is detected.
    private(set) var revisions: [ProfileKey: Int] = [:]

    subscript(place: ProfileKey) -> Profile {
        get { profiles[place] ?? Profile() }
        set {
            revisions[place, default: 0] += 1
            profiles[place] = newValue
        }
    }

    /// The profile of all calls whose tag does not set something else, in every environment.
    var defaults: Profile { self[ProfileKey()] }

    /// Returns the profiles of a tag, or those of all tags, in the current environment.
    fileprivate func layers(_ tag: Tag?) -> ProfileLayers {
        ProfileLayers(
            [
                tag.flatMap { hostOverrides[$0] }.map { Profile(host: $0) }, profiles[ProfileKey(tag: tag, environment: environment)],
                profiles[ProfileKey(tag: tag)],
            ], in: environment)
    }
}

/// The scope of a profile: one tag or all tags, in one environment or all environments.
struct ProfileKey: Hashable, Sendable {
    var tag: Tag?
    var environment: API.Environment?
}

/// The configuration of one moment. A call reads it once, at its start, and keeps it.
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

    /// The names of the configured tags, for messages.
    var tagNames: [String] { profiles.keys.map(\.name).sorted() }
}

/// Receives the error of a failed call with the request as its steps describe it, and decides how the call ends.
public typealias ErrorHandler = @Sendable (APIError, Request) async -> ErrorDecision

/// The way in which a failed call ends.
public enum ErrorDecision: Sendable {
    /// The call fails with the error.
    case proceed
    /// The call fails with another error.
    case replace(with: APIError)
    /// The call ends as if it had been cancelled: `catch` does not run, `finally` does, and awaiting throws a `CancellationError`. Use it
    /// for errors that the handler has dealt with.
    case cancelSilently
}
