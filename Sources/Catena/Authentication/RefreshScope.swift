/// The sign-ins as part of whose refresh the current task runs.
enum RefreshScope {
    @TaskLocal static var current: Set<ObjectIdentifier> = []

    /// Whether this is part of a refresh: calls that wait for it may hold every place that there is, so it waits for none.
    static var isActive: Bool { !current.isEmpty }
}
