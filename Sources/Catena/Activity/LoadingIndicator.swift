import Dispatch

/// Something that shows that a call is under way.
struct LoadingIndicator: Sendable {
    /// Shows it; gives what hides it again, to be called once.
    let show: @MainActor @Sendable (Client) -> (@MainActor () -> Void)
}

/// The indicators of one call. Each showing is followed by one hiding.
final class ShownIndicators: Sendable {
    @MainActor private final class Screen {
        var hiding: [@MainActor () -> Void] = []
        nonisolated init() {}
    }

    private let indicators: [LoadingIndicator]
    private let client: Client
    private let screen = Screen()

    init(_ indicators: [LoadingIndicator], of client: Client) {
        self.client = client
        self.indicators = indicators
    }

    // Both always take the same way, the main queue, where nothing overtakes: a call may begin on one thread and end on another.

    func show() {
        DispatchQueue.main.async { [indicators, client, screen] in
            MainActor.assumeIsolated { screen.hiding += indicators.map { $0.show(client) } }
        }
    }

    func hide() {
        DispatchQueue.main.async { [screen] in
            MainActor.assumeIsolated {
                let hiding = screen.hiding
                screen.hiding = []
                for hide in hiding { hide() }
            }
        }
    }
}
