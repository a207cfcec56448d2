/// The settings that all tags share, of one moment. A call reads them once, at its start, and keeps them.
package final class Snapshot: Sendable {
    package let settings: Settings
    /// The profiles over which those of a tag stand.
    let defaults: ProfileLayers
    /// The profile of calls without a tag.
    let untagged: ResolvedProfile

    init(_ settings: Settings) {
        self.settings = settings
        defaults = settings.layers
        untagged = ResolvedProfile(ProfileLayers([], in: settings.environment), over: defaults, hiding: settings.hidden)
    }
}

/// The configuration of a client, which its lock guards: the shared settings, and the profiles of its tags.
///
/// A profile is changed in place and resolved when a call first needs it. So to configure a tag costs the same, however many tags there are.
struct Configuration: Sendable {
    private(set) var shared: Snapshot
    private var profiles: [ProfileKey: Profile] = [:]
    /// The number of changes of each profile, by which a change to an outdated copy is detected.
    private var revisions: [ProfileKey: Int] = [:]
    private var tags: Set<Tag> = []
    private var resolved: [Tag: ResolvedProfile] = [:]
    /// The secrets of the last profile of each tag that a change has displaced. Calls that began before the change may still report them.
    private var displaced: [Tag: KnownSecrets] = [:]
    /// The number of changes of any kind, by which an outdated resolution is detected.
    private(set) var changes = 0

    init(_ settings: Settings) {
        shared = Snapshot(settings)
    }

    /// The tags that have a profile or a host of their own.
    var configuredTags: Set<Tag> { tags.union(shared.settings.hostOverrides.keys) }

    func isConfigured(_ tag: Tag) -> Bool { tags.contains(tag) || shared.settings.hostOverrides[tag] != nil }

    /// Returns the profile of a tag and the number of its changes.
    func profile(at place: ProfileKey) -> (profile: Profile, revision: Int?) { (profiles[place] ?? Profile(), revisions[place]) }

    /// Returns the resolved profile of a tag, or `nil` if it is not resolved yet.
    func profile(for tag: Tag?) -> ResolvedProfile? {
        guard let tag else { return shared.untagged }
        return resolved[tag] ?? (isConfigured(tag) ? nil : shared.untagged)
    }

    /// The secrets that the tags with calls know by their value.
    var known: [KnownSecrets] {
        resolved.values.compactMap(\.redaction.known) + displaced.values + [shared.untagged.redaction.known].compactMap { $0 }
    }

    /// Returns the profiles of a tag in the current environment.
    func layers(_ tag: Tag?) -> ProfileLayers {
        guard let tag else { return ProfileLayers([], in: shared.settings.environment) }
        let environment = shared.settings.environment
        return ProfileLayers(
            [
                shared.settings.hostOverrides[tag].map { Profile(host: $0) }, profiles[ProfileKey(tag: tag, environment: environment)],
                profiles[ProfileKey(tag: tag)],
            ], in: environment)
    }

    /// Keeps a profile that was resolved after so many changes, and returns the one to use.
    mutating func keep(_ made: ResolvedProfile, for tag: Tag, after changes: Int) -> ResolvedProfile {
        guard changes == self.changes else { return made }
        if let known = resolved[tag] { return known }
        resolved[tag] = made
        return made
    }

    // MARK: Changing

    /// The values that a change has displaced. The caller releases them after the lock, because that may run user code.
    struct Displaced: Sendable {
        var shared: Snapshot?
        /// At most one profile. An array, because a profile is large, and so would be the code that copies and releases it.
        var profiles: [Profile] = []
        var resolved: [Tag: ResolvedProfile] = [:]
    }

    /// Sets the profile of a tag.
    mutating func set(_ profile: Profile, at place: ProfileKey, of tag: Tag) -> Displaced {
        changes += 1
        revisions[place, default: 0] += 1
        tags.insert(tag)
        var displaced = Displaced(profiles: profiles.updateValue(profile, forKey: place).map { [$0] } ?? [])
        displaced.resolved[tag] = resolved.removeValue(forKey: tag)
        noteSecrets(of: displaced)
        return displaced
    }

    /// Sets the shared settings, with which all profiles are resolved anew.
    mutating func set(_ settings: Snapshot) -> Displaced {
        changes += 1
        let displaced = Displaced(shared: shared, resolved: resolved)
        shared = settings
        resolved = [:]
        noteSecrets(of: displaced)
        return displaced
    }

    private mutating func noteSecrets(of displaced: Displaced) {
        for (tag, profile) in displaced.resolved {
            if let known = profile.redaction.known { self.displaced[tag] = known }
        }
    }
}

extension Configuration {
    /// The configuration with an empty cache and an empty cookie jar in place of each one, for a scope that takes and leaves nothing.
    var withEmptyStores: Configuration {
        var (stores, configuration, settings) = (EmptyStores(), self, shared.settings)
        for place in Array(profiles.keys) { stores.empty(&configuration.profiles[place, default: Profile()]) }
        settings.changeProfiles { stores.empty(&$0) }
        // Resolved anew also without stores, because a resolved profile has the limits and breakers of its client.
        _ = configuration.set(Snapshot(settings))
        return configuration
    }
}

/// Empty caches and cookie jars in place of others. Profiles that share one share its replacement, too.
private struct EmptyStores {
    private var caches: [ObjectIdentifier: ResponseCache] = [:]
    private var jars: [ObjectIdentifier: CookieJar] = [:]

    mutating func empty(_ profile: inout Profile) {
        if let cache = profile.cache {
            let empty = caches[ObjectIdentifier(cache.renewals)] ?? cache.emptied
            caches[ObjectIdentifier(cache.renewals)] = empty
            profile.cache = empty
        }
        if let jar = profile.cookieJar {
            let empty = jars[ObjectIdentifier(jar)] ?? jar.emptied
            jars[ObjectIdentifier(jar)] = empty
            profile.cookieJar = empty
        }
    }
}
