extension Client {
    func saveHosts(after tag: Tag) {
        let settings = snapshot.settings
        guard let store = settings.hostStore else { return }
        do {
            try store.save(Dictionary(settings.hostOverrides.map { ($0.name, $1) }) { first, _ in first })
        } catch {
            diagnostics.report(.environment, "The host of \"\(tag)\" could not be stored: \(APIError.wrapping(error).message)")
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
