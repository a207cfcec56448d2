import CatenaPlatform

extension ActiveCalls {
    /// Shows the unhandled errors of promises: no `catch` has handled them, and no code has awaited them.
    ///
    /// ```swift
    /// API.calls.presentUnhandledErrors { error in await screen.alert(error.localizedDescription) }
    /// ```
    ///
    /// Errors are shown one after the other, each when the closure has returned from the previous one. An error with the same text as one
    /// that is shown or waiting is omitted. Cancelled calls, and errors that ``Client/onError(_:)`` ends silently, are not shown.
    ///
    /// This sets `PromiseDiagnostics.onUnhandledError`, which applies to all promises of the process.
    ///
    /// - Parameter present: The closure that shows an error, or `nil` to ignore unhandled errors.
    public func presentUnhandledErrors(_ present: (@MainActor @Sendable (APIError) async -> Void)?) {
        guard let present else {
            PromiseDiagnostics.onUnhandledError = nil
            return
        }
        let line = UnhandledErrorPresenter(present)
        PromiseDiagnostics.onUnhandledError = { line.add(APIError.wrapping($0.error)) }
    }
}

/// Shows errors one after the other.
final class UnhandledErrorPresenter: Sendable {
    private let present: @MainActor @Sendable (APIError) async -> Void
    /// The errors that are shown or waiting; the first one is shown.
    private let errors = Mutex<[(text: String, error: APIError)]>([])

    init(_ present: @escaping @MainActor @Sendable (APIError) async -> Void) {
        self.present = present
    }

    func add(_ error: APIError) {
        let text = error.localizedDescription
        let isFirst = errors.withLock { errors in
            guard !errors.contains(where: { $0.text == text }) else { return false }
            errors.append((text, error))
            return errors.count == 1
        }
        if isFirst { Task { await show(error) } }
    }

    private func show(_ first: APIError) async {
        var next: APIError? = first
        while let error = next {
            await present(error)
            next = errors.withLock { errors in
                errors.removeFirst()
                return errors.first?.error
            }
        }
    }
}
