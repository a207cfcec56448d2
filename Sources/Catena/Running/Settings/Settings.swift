/// The whole configuration of a client.
package struct Settings: Sendable {
    /// The profiles of all tags, by environment; `nil` is every environment.
    private var profiles: [API.Environment?: Profile] = [:]
    var environment = API.Environment.production
    var environmentStore: (any EnvironmentStore)?
    var hostOverrides: [Tag: String] = [:]
    var hostStore: (any HostStore)?
    var commonParams: CommonSource<Params>?
    var commonHeaders: CommonSource<HTTPHeaders>?
    var errorHandler: AppErrorHandler?
    var interceptors: [Interceptor] = []
    var observers: [CallObserver] = []
    /// The watchers of running calls.
    var watchers: [any CallWatcher] = []
    /// The keepers of failed calls that had no trace.
    var keepers: [any FailureKeeper] = []
    /// Adds stages of an upper layer to the plan of each call.
    var addStages: (@Sendable (inout [any Stage]) -> Void)?
    /// The values that upper layers have added.
    package var values = OptionValues()
    /// The names that upper layers hide in every call.
    package var secrets = Secrets()
    /// The secrets that the transport holds, such as the password of a proxy, which may repeat it.
    var transportSecrets: [String] = []
    /// All secrets that do not belong to a profile.
    var hidden: Secrets { transportSecrets.reduce(into: secrets) { $0.add(values: $1) } }
    /// The number of changes of each profile, by which a change to an outdated copy is detected.
    private(set) var revisions: [API.Environment?: Int] = [:]

    subscript(environment: API.Environment?) -> Profile {
        get { profiles[environment] ?? Profile() }
        set {
            revisions[environment, default: 0] += 1
            profiles[environment] = newValue
        }
    }

    /// Changes all profiles, in every environment.
    mutating func changeProfiles(_ change: (inout Profile) -> Void) {
        for environment in Array(profiles.keys) { change(&self[environment]) }
    }

    /// The profile of all calls whose tag does not set something else, in every environment.
    var defaults: Profile { self[nil] }

    /// Returns the profiles of all tags in the current environment.
    var layers: ProfileLayers { ProfileLayers([profiles[environment], profiles[nil]], in: environment) }
}

/// The scope of a profile: one tag or all tags, in one environment or all environments.
struct ProfileKey: Hashable, Sendable {
    var tag: Tag?
    var environment: API.Environment?
}
