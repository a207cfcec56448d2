import Catena
import Foundation

/// Finds the inspector of an app that runs on this machine for the same user.
///
/// The name of a secret's file tells the app and the port. A process that listens there is the app only if it proves that it knows the secret, and
/// before that it receives nothing but a random number. No key is configured, printed or stored for this.
struct InspectorFinder: Sendable {
    typealias Refusal = Doorkeeper.Refusal

    /// The place of a running inspector, and the key that its proof has brought.
    struct Place: Sendable {
        let app: String
        let port: Int
        let key: String
    }

    private struct Candidate: Sendable {
        let app: String
        let port: Int
        let secret: String
    }

    private enum Found: Sendable {
        case place(Place)
        /// A process that answers but is none of the apps.
        case stranger(port: Int)
    }

    let folders: @Sendable () -> [URL]
    /// The name or the port of the app, or `nil` for the only one that runs.
    let wanted: String?
    private let client: Client

    /// The maximum number of secrets that are tried. Each port that an app has used has one.
    private static let most = 200
    private static let longestProof = 4096

    init(in folders: @escaping @Sendable () -> [URL], wanted: String?) {
        (self.folders, self.wanted) = (folders, wanted)
        client = Self.client(deadline: .seconds(2), bodyLimit: Self.longestProof)
    }

    /// Returns a client for servers on this machine. It follows no redirect, because the other end would receive the key.
    static func client(deadline: Duration, bodyLimit: Int) -> Client {
        let client = Client()
        client.configureDefaults { defaults in
            defaults.envelope = .raw
            defaults.deadline = deadline
            defaults.bodyLimit = bodyLimit
            defaults.redirectLimit = 0
        }
        return client
    }

    /// Returns the inspector, after it has proved what it is. Each call asks for a new proof, because the process behind a port may be another one by now.
    func find() async throws(Refusal) -> Place {
        let candidates = candidates
        let ports = Dictionary(grouping: candidates, by: \.port)
        let found = await withTaskGroup(of: Found?.self) { group in
            for (port, candidates) in ports { group.addTask { await ask(port, candidates) } }
            return await group.reduce(into: [Found]()) { if let found = $1 { $0.append(found) } }
        }
        var (places, strangers): ([Place], [Int]) = ([], [])
        for found in found {
            switch found {
            case .place(let place): places.append(place)
            case .stranger(let port): strangers.append(port)
            }
        }
        let chosen = places.filter { wanted == nil || wanted == $0.app || wanted == "\($0.port)" }
        if chosen.count == 1 { return chosen[0] }
        throw Self.refusal(wanted, places.sorted { $0.port < $1.port }, strangers.sorted())
    }

    private static func refusal(_ wanted: String?, _ places: [Place], _ strangers: [Int]) -> Refusal {
        let names = places.map { "\($0.app) (port \($0.port))" }.joined(separator: ", ")
        let choice = "Give catena-mcp the name or the port of one of these as its argument: \(names)."
        if wanted == nil, !places.isEmpty { return .init(status: 409, words: "Several apps have an inspector. \(choice)") }
        let app = wanted.map { "The app \"\($0.cut(to: 100))\" has no inspector" } ?? "No app has an inspector"
        let others = strangers.map { " Port \($0) belongs to a process that has not proved to be the app, and received no key." }
        let needs = "A debug build has to run that calls Inspector.start(for:), with a port other than 0."
        return .init(status: 404, words: "\(app) on this machine now. \(places.isEmpty ? needs : choice)\(others.joined())")
    }

    // MARK: The files

    private var candidates: [Candidate] {
        var candidates: [Candidate] = []
        for folder in folders() {
            for name in Self.names(in: folder) where candidates.count < Self.most {
                guard let (app, port) = InspectorKey.place(in: name),
                    let secret = InspectorKey.secret(in: folder.appending(path: name))
                else { continue }
                candidates.append(Candidate(app: app, port: port, secret: secret))
            }
        }
        return candidates
    }

    /// The folders that apps of this user may have, each with its own caches: programs, apps in a sandbox, and apps in a simulator.
    static func usualFolders(home: URL) -> [URL] {
        let containers = home.appending(path: "Library/Containers")
        let devices = home.appending(path: "Library/Developer/CoreSimulator/Devices")
        let homes =
            inside(containers).map { $0.appending(path: "Data") }
            + inside(devices).flatMap { inside($0.appending(path: "data/Containers/Data/Application")) }
        let folders = homes.map { $0.appending(path: "Library/Caches/\(InspectorKey.folderName)") }
        return [InspectorKey.usualFolder].compactMap { $0 } + folders
    }

    private static func inside(_ folder: URL) -> [URL] { names(in: folder).map { folder.appending(path: $0) } }

    /// Returns the names in a folder, or none if it has too many for a folder of apps or cannot be read.
    private static func names(in folder: URL) -> [String] {
        ((try? LocalFile.names(in: folder.path(percentEncoded: false), limit: 10_000)) ?? []).sorted()
    }

    // MARK: The proof

    /// Asks a port for proofs. Returns `nil` if nothing answers there.
    private func ask(_ port: Int, _ candidates: [Candidate]) async -> Found? {
        let (host, number) = ("127.0.0.1:\(port)", InspectorKey.made())
        let proofs: JSON
        do {
            proofs = try await client.host("http://\(host)").get("/api/proof").header("X-Inspector-Number", number).value()
        } catch {
            return (error as? APIError)?.kind == .connect ? nil : .stranger(port: port)
        }
        for candidate in candidates {
            if let key = InspectorSecrets.key(provedBy: proofs, number, host, renewal: candidate.secret) {
                return .place(Place(app: candidate.app, port: port, key: key))
            }
        }
        return .stranger(port: port)
    }
}
