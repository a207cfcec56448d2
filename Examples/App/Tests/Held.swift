import Catena

/// Holds replies until it is opened.
final class Held: Sendable {
    private let (opened, resolver) = Promise<Void>.pending()

    func wait() async { _ = await opened.result }

    func open() { resolver.fulfill(()) }
}
