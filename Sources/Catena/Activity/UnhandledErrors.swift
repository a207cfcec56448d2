import Foundation

extension ActiveCalls {
    /// Shows the errors of promises that nobody handles: no `catch` has seen them, and nobody has awaited them.
    ///
    /// ```swift
    /// API.calls.presentUnhandledErrors { error in await screen.alert(error.localizedDescription) }
    /// ```
    ///
    /// They are shown one after the other, each when the closure has returned from the one before; what would say the same as one that is
    /// shown or waits is left out. Cancelled calls are no errors, and those that ``Client/onError(_:)`` stops do not come here. This takes the
    /// place of `PromiseDiagnostics.onUnhandledError`, which holds for all promises of the process; `nil` ends it, and nothing else
    /// takes its place.
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
    /// Those that are shown or wait, the one that is shown first.
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
