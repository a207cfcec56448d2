extension API {
    /// Lets the calls with a tag go to another host than is configured, until that is taken back. See ``Client/overrideHost(of:with:)``.
    public static func overrideHost(of tag: Tag, with host: String?) {
        Client.current.overrideHost(of: tag, with: host)
    }

    /// The hosts that stand in for the configured ones.
    public static var hostOverrides: [Tag: String] { Client.current.hostOverrides }

    /// Goes on with the overrides of the last run, and keeps each change. See ``Client/rememberHostOverrides(in:)``.
    public static func rememberHostOverrides(in store: any HostStore) {
        Client.current.rememberHostOverrides(in: store)
    }
}

extension Client {
    /// Lets the calls with a tag go to another host than is configured, in every environment, until that is taken back with `nil`.
    ///
    /// ```swift
    /// client.overrideHost(of: .forum, with: "http://10.0.0.7:8080/api")
    /// ```
    ///
    /// What belongs to the tag goes there too, such as its common headers and its sign-in. A call that names its host itself keeps it, and one
    /// that has begun keeps its own.
    public func overrideHost(of tag: Tag, with host: String?) {
        install { $0.hostOverrides[tag] = host }
        guard hostSaving.withLock({ $0.begin() }) else { return }
        repeat { saveHosts(after: tag) } while !hostSaving.withLock { $0.end() }
    }

    private func saveHosts(after tag: Tag) {
        let settings = snapshot.settings
        guard let store = settings.hostStore else { return }
        do {
            try store.save(Dictionary(settings.hostOverrides.map { ($0.name, $1) }) { first, _ in first })
        } catch {
            diagnostics.report(.environment, "The host of \"\(tag)\" could not be stored: \(APIError.wrapping(error).message)")
        }
    }

    /// The hosts that stand in for the configured ones.
    public var hostOverrides: [Tag: String] { snapshot.settings.hostOverrides }

    /// Goes on with the overrides of the last run, and keeps each change that follows.
    ///
    /// Overrides that cannot be read are reported as a diagnostic and count for nothing.
    public func rememberHostOverrides(in store: any HostStore) {
        var former: [Tag: String] = [:]
        do {
            for (name, host) in try store.load() { former[Tag(name)] = host }
        } catch {
            diagnostics.report(.environment, "The stored hosts could not be read: \(APIError.wrapping(error).message)")
        }
        install { settings in
            settings.hostStore = store
            settings.hostOverrides.merge(former) { now, _ in now }
        }
    }
}

/// Who saves what changes on several threads: one, and again if something has changed meanwhile, so that the last that is saved is the last
/// that was set.
struct SaveCoalescer {
    private var isSaving = false
    private var isOutdated = false

    /// Whether the caller is to save; if not, somebody does who will see the change.
    mutating func begin() -> Bool {
        defer { (isSaving, isOutdated) = (true, isSaving) }
        return !isSaving
    }

    /// Whether nothing has changed meanwhile; if not, the caller is to save again.
    mutating func end() -> Bool {
        defer { (isSaving, isOutdated) = (isOutdated, false) }
        return !isOutdated
    }
}
