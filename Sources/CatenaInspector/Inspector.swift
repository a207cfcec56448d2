public import Catena
import CatenaLoopback
import CatenaPromise
public import Foundation

/// Shows the calls of a running app in a browser.
///
/// ```swift
/// #if DEBUG
/// let inspector = try await Inspector.start(for: .shared)      // http://127.0.0.1:8642/#open=…, printed once
/// #endif
/// ```
///
/// The page is served on this machine until ``stop()``, even if the inspector is not retained. Anyone with the key can see and change the calls, so
/// use it in debug builds only. See the guide "The inspector".
public final class Inspector: Sendable {
    /// The address of the page, with a code by which the first page that opens it gets the key.
    public let url: URL
    /// The key that a further page asks for. It is a new one for each start, unless `start` has received one.
    public var key: String { secrets.key }

    let core: InspectorCore

    var secrets: InspectorSecrets { core.door.secrets }
    var store: CallStore { core.store }
    var feed: Feed { core.feed }

    private init(_ core: InspectorCore) throws {
        guard let url = URL(string: "http://127.0.0.1:\(core.port)/#open=\(core.door.secrets.code)") else {
            throw StartError(description: "The address of the page cannot be written.")
        }
        (self.url, self.core) = (url, core)
    }

    /// The reason why an inspector could not start.
    public struct StartError: Error, Sendable, CustomStringConvertible {
        /// A sentence that describes the problem.
        public let description: String
    }

    /// Starts watching the calls of a client, and prints the address of the page.
    ///
    /// - Parameters:
    ///   - client: The client whose calls are shown.
    ///   - port: The port of the page, or 0 for any free port. If the port is taken, the next free port is used and printed.
    ///   - key: The key of the page. Without one, each start has a new random key.
    ///   - showsSecrets: Whether secrets are shown. Otherwise they are replaced with `***`.
    ///   - limit: The number of calls to store. Newer calls replace older ones.
    ///   - names: Names and addresses of this machine under which other machines may open the page. Without any, only this machine can reach it.
    ///   - agentsMayAct: Whether agents may repeat calls and set stubs. Otherwise they only read.
    /// - Throws: ``StartError`` if no port is free or the page's files are missing.
    @discardableResult
    public static func start(
        for client: Client, port: Int = 8642, key: String? = nil, showsSecrets: Bool = false, limit: Int = 10_000,
        reachableAs names: [String] = [], agentsMayAct: Bool = false
    ) async throws -> Inspector {
        var settings = InspectorSettings()
        (settings.port, settings.key, settings.showsSecrets, settings.names) = (port, key, showsSecrets, names)
        (settings.agentsMayAct, settings.limits.calls) = (agentsMayAct, limit)
        // The next start has another port, so that neither a page nor an agent could use what is kept for this one.
        if port == 0 { settings.keyFolder = nil }
        return try start(.calls(of: client), settings)
    }

    /// Shows a HAR file, without an app.
    ///
    /// - Parameter name: The name of the file.
    package static func start(showing archive: Data, named name: String, port: Int = 8642) throws -> Inspector {
        var settings = InspectorSettings()
        (settings.port, settings.name) = (port, name)
        return try start(.archive(archive), settings)
    }

    /// Starts an inspector whose cost per call can be counted: pages are updated by `tellPages` and not by the clock.
    ///
    /// - Parameter isWatched: Whether calls are watched as if a page were open.
    package static func startForCounting(_ client: Client, keeps limit: Int = 100, isWatched: Bool = true) throws -> (
        inspector: Inspector, tellPages: @Sendable () -> Void
    ) {
        var settings = InspectorSettings()
        (settings.port, settings.keyFolder, settings.announce) = (0, nil, { _ in })
        // No page is opened, so its files may be missing. The low limit lets every call replace an older one from the start.
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
        settings.announce("Inspector: \(inspector.url.absoluteString)\(others), opens once; key for other pages: \(inspector.key)")
        return inspector
    }

    /// Stops the inspector: closes the page, ends all effects and deletes the stored calls. Calls in progress continue. A second call has no effect.
    public func stop() { core.stop() }
}

/// The settings of an inspector.
struct InspectorSettings: Sendable {
    var port = 8642
    var key: String?
    var showsSecrets = false
    var limits = CallStore.Limits()
    var names: [String] = []
    var keyFolder = InspectorKey.usualFolder
    var page: URL?
    var hasPage = true
    /// The name of the inspected process, shown on the page.
    var name = ProcessInfo.processInfo.processName
    /// The time for which calls are watched at the start and after the last page has closed.
    var linger = Duration.seconds(10)
    /// Whether agents may repeat calls and set stubs.
    var agentsMayAct = false
    /// The time for which calls are watched after a request of an agent, which has no connection that stays open.
    var agentLinger = Duration.seconds(300)
    /// The clock that measures `linger` and `agentLinger`.
    var clock: any TimerClock = SystemClock.shared
    /// The time limit for the head of a request. It keeps clients without the key from occupying all connections.
    var headTime = Duration.seconds(5)
    /// Returns a number from 0 to 1.
    var random: @Sendable () -> Double = { .random(in: 0..<1) }
    var announce: @Sendable (String) -> Void = { print($0) }
}
