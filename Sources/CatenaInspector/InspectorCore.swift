import Catena
import CatenaLoopback
import CatenaPromise
import Foundation

/// The parts of an inspector.
final class InspectorCore: Sendable {
    /// The calls that an inspector shows.
    enum Subject: Sendable {
        case calls(of: Client)
        case archive(Data)
    }

    let subject: Subject
    let name: String
    let showsSecrets: Bool
    let agentsMayAct: Bool
    /// The time for which calls are watched after a request of an agent.
    let agentLinger: Duration
    let store: CallStore
    let effects: Effects
    let feed: Feed
    let door: Doorkeeper
    let page: PageFolder
    var port: Int { server.port }
    let server: LoopbackServer
    private let watching: Registration?

    init(_ subject: Subject, _ settings: InspectorSettings) throws {
        self.subject = subject
        (name, showsSecrets) = (settings.name, settings.showsSecrets)
        (agentsMayAct, agentLinger) = (settings.agentsMayAct, settings.agentLinger)
        page = settings.hasPage ? try PageFolder(settings.page) : PageFolder.empty
        store = CallStore(settings.limits)
        server = try Self.server(settings)
        let secrets = InspectorSecrets(key: settings.key, renewalIn: settings.keyFolder, port: server.port)
        door = Doorkeeper(secrets: secrets, port: server.port, names: settings.names)
        var client: Client?
        var view: @Sendable () -> CallView = { CallView(showsSecrets: true, now: .zero, zero: 0) }
        var (watching, attention): (Registration?, Attention?)
        switch subject {
        case .archive(let data): try Self.check(data)
        case .calls(let watched):
            client = watched
            // Read both clocks once, so that equal times are shown as equal.
            let zero = watched.date().timeIntervalSince1970 * 1000 - watched.clock.now.milliseconds
            view = { [showsSecrets] in CallView(showsSecrets: showsSecrets, now: watched.clock.now, zero: zero) }
            watching = watched.add(store)
            attention = Attention(watched, store, linger: settings.linger, clock: settings.clock)
            // A page may still be open from the last run, and reconnect soon.
            attention?.begin()
            attention?.end()
        }
        effects = Effects(client, random: settings.random)
        self.attention = attention
        self.view = view
        self.watching = watching
        feed = Feed(store, effects, attention, view: view)
        server.admit { [door] request in door.refusal(of: request) }
        // The server retains the core until `stop()`, so that the inspector need not be retained.
        server.on(nil, "*") { [self] request async in await respond(to: request).guarded }
    }

    let view: @Sendable () -> CallView
    let attention: Attention?

    func stop() {
        watching?.end()
        effects.removeAll()
        feed.stop()
        store.clear()
        server.stop()
    }

    /// Throws unless the data is a HAR file, so that the error is reported before a page is opened.
    private static func check(_ archive: Data) throws(Inspector.StartError) {
        do throws(JSONSyntaxError) {
            let json = try JSON(parsing: archive)
            if json.log.entries.array != nil { return }
        } catch {
            throw .init(description: "It is no HAR file, which would be JSON: \(error)")
        }
        throw .init(description: "It is no HAR file: there is no list \"log.entries\" in it.")
    }

    /// The number of ports tried before any free port is used.
    private static let portsTried = 100

    private static func server(_ settings: InspectorSettings) throws -> LoopbackServer {
        var limits = LoopbackServer.Limits()
        (limits.connections, limits.headBytes, limits.bodyBytes, limits.recordedRequests) = (64, 64 << 10, 4 << 20, 1)
        limits.lifetime = .seconds(100 * 365 * 86_400)
        limits.headTime = settings.headTime
        let next = settings.port == 0 ? [] : (settings.port..<settings.port + portsTried).filter { (1...65_535).contains($0) }
        let candidates = next + [0]
        var failure: (any Error)?
        for port in candidates {
            do {
                return try LoopbackServer(port: port, onAllAddresses: !settings.names.isEmpty, limits: limits)
            } catch {
                failure = error
            }
        }
        throw Inspector.StartError(description: failure.map { "\($0)" } ?? "There is no port.")
    }
}
