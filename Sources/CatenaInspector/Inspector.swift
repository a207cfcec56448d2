public import Catena
import CatenaLoopback
import CatenaPromise
public import Foundation

/// Shows the calls of a running app in a browser.
///
/// ```swift
/// #if DEBUG
/// let inspector = try await Inspector.start(for: .shared)      // http://127.0.0.1:8642/?key=…, printed once
/// #endif
/// ```
///
/// It serves its page on this machine until it is stopped, whether or not this is kept. Whoever knows the address sees the calls and can interfere
/// with them, so it belongs into debug builds. See the guide "The inspector".
public final class Inspector: Sendable {
    /// The address of the page, with the key that it asks for.
    public let url: URL

    private let core: InspectorCore

    var store: CallStore { core.store }
    var feed: Feed { core.feed }

    private init(_ core: InspectorCore) throws {
        guard let url = URL(string: "http://127.0.0.1:\(core.port)/?key=\(core.door.key)") else {
            throw StartError(description: "The key has characters that an address cannot have.")
        }
        (self.url, self.core) = (url, core)
    }

    /// Why an inspector could not be started.
    public struct StartError: Error, Sendable, CustomStringConvertible {
        /// What is wrong, in a sentence.
        public let description: String
    }

    /// Begins to watch the calls of a client, and prints the address of the page.
    ///
    /// - Parameters:
    ///   - client: The client whose calls are shown.
    ///   - port: Where the page is served; if the port is taken, the next free one, which is said. 0 is any that is free.
    ///   - key: What the address has to have in it; without one a random key, which is the same at the app's next start.
    ///   - showsSecrets: Whether secrets are shown, too, which are `***` otherwise.
    ///   - limit: How many calls are kept; older ones go for newer ones.
    ///   - names: Names and addresses of this machine under which others may open the page. Without any, nobody but this machine reaches it.
    /// - Throws: ``StartError`` if there is no port or no page.
    @discardableResult
    public static func start(
        for client: Client, port: Int = 8642, key: String? = nil, showsSecrets: Bool = false, limit: Int = 10_000,
        reachableAs names: [String] = []
    ) async throws -> Inspector {
        var settings = InspectorSettings()
        (settings.port, settings.key, settings.showsSecrets, settings.names) = (port, key, showsSecrets, names)
        settings.limits.calls = limit
        return try start(.calls(of: client), settings)
    }

    /// Shows a HAR file, without an app.
    ///
    /// - Parameter name: What the file is called.
    package static func start(showing archive: Data, named name: String, port: Int = 8642) throws -> Inspector {
        var settings = InspectorSettings()
        (settings.port, settings.name) = (port, name)
        return try start(.archive(archive), settings)
    }

    /// What an inspected call takes is counted with pages that are told when the counting says so, and not by the time of day.
    ///
    /// - Parameter isWatched: Whether a page is open.
    package static func startForCounting(_ client: Client, keeps limit: Int = 100, isWatched: Bool = true) throws -> (
        inspector: Inspector, tellPages: @Sendable () -> Void
    ) {
        var settings = InspectorSettings()
        (settings.port, settings.keyFolder, settings.announce) = (0, nil, { _ in })
        // Nobody asks for the page, which need not be there. And from the first calls on each is one for which another one goes.
        settings.hasPage = false
        settings.limits.calls = limit
        settings.linger = isWatched ? .seconds(1_000_000) : .zero
        let inspector = try start(.calls(of: client), settings)
        let feed = inspector.core.feed
        return (inspector, { feed.tellAbsentPage() })
    }

    static func start(_ subject: InspectorCore.Subject, _ settings: InspectorSettings) throws -> Inspector {
        let inspector = try Inspector(InspectorCore(subject, settings))
        let others = settings.port == 0 || inspector.core.port == settings.port ? "" : " (port \(settings.port) is taken)"
        settings.announce("Inspector: \(inspector.url.absoluteString)\(others)")
        return inspector
    }

    /// Ends it: the page is served no more, all effects end, and what was kept is forgotten. Calls go on. A second time does nothing.
    public func stop() { core.stop() }
}

/// How an inspector is set up.
struct InspectorSettings: Sendable {
    var port = 8642
    var key: String?
    var showsSecrets = false
    var limits = CallStore.Limits()
    var names: [String] = []
    var keyFolder = InspectorKey.usualFolder
    var page: URL?
    var hasPage = true
    /// What is looked at.
    var name = ProcessInfo.processInfo.processName
    /// For how long calls are watched when no page is open any more, or yet.
    var linger = Duration.seconds(10)
    /// What this is measured by.
    var clock: any TimerClock = SystemClock.shared
    /// How long a request may take until its head is there: a client without the key must not keep the places of those with it.
    var headTime = Duration.seconds(5)
    /// Gives a number from 0 to 1.
    var random: @Sendable () -> Double = { .random(in: 0..<1) }
    var announce: @Sendable (String) -> Void = { print($0) }
}
