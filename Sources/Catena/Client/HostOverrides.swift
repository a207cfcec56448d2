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

/// Coalesces saves from several threads. One thread saves, and saves again if a value has changed meanwhile, so that the last value saved
/// is the last value set.
struct SaveCoalescer {
    private var isSaving = false
    private var isOutdated = false

    /// Returns whether the caller has to save. If not, another thread is saving and will include the change.
    mutating func begin() -> Bool {
        defer { (isSaving, isOutdated) = (true, isSaving) }
        return !isSaving
    }

    /// Returns whether nothing has changed meanwhile. If something has, the caller has to save again.
    mutating func end() -> Bool {
        defer { (isSaving, isOutdated) = (isOutdated, false) }
        return !isOutdated
    }
}
