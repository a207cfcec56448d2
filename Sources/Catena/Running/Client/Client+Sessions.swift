extension Client {
    /// Returns the changes of the session of a tag's user from now on: sign-ins, refreshes, refused refreshes and sign-outs.
    ///
    /// ```swift
    /// for await change in client.sessions(of: .forum) {
    ///     if case .refused = change.kind { try? signIn.signOut() }
    ///     if change.isEnd { showSignIn() }
    /// }
    /// ```
    ///
    /// The changes are those of the ``Authentication`` that the tag has now. A reader that falls behind misses all but the newest 100 changes. Other
    /// sign-ins, such as a closure that returns tokens, do not know their sessions: the sequence ends at once, and a diagnostic says so once.
    public func sessions(of tag: Tag) -> AsyncStream<SessionChange> {
        if let changes = profile(for: tag).authentication?.sessions(of: tag) { return changes }
        active.diagnostics.report(.ineffectiveStep, once: .setting("sessions \(tag.name)")) {
            "sessions(of: \"\(tag)\") reports nothing, because the tag has no Authentication; set one in the profile before. It is said once for each tag."
        }
        return AsyncStream { $0.finish() }
    }

    /// Passes the changes of the session of a tag's user to a handler on the main actor. See ``sessions(of:)``.
    ///
    /// - Returns: A registration that ends the reports. It may be ignored.
    @discardableResult
    public func sessions(of tag: Tag, _ handler: @escaping @MainActor @Sendable (SessionChange) -> Void) -> Registration {
        let changes = sessions(of: tag)
        let task = Task { @MainActor in
            for await change in changes where !Task.isCancelled { handler(change) }
        }
        return Registration { task.cancel() }
    }
}
