import Foundation

/// The credential of a whole fleet of machines: what one of them gets by a sign-in or a refresh, the others take over.
///
/// ```swift
/// let signIn = Authentication(
///     BearerAuthenticator { old in try await ForumAPI.refresh(old) },
///     shared: SharedCredential("forum", in: store))
/// if try await signIn.load() == nil { try signIn.signIn(token) }
/// ```
///
/// A credential is refreshed once for all machines: by the one that has the lock, which it has for the time of the lease. The others wait for what
/// it gets. While the store cannot be reached, each machine refreshes the credential that it has.
///
/// The credential is in the store as it is: whoever can read the store can use it.
public struct SharedCredential: Sendable {
    let name: String
    let store: any SharedStore
    let lease: Duration

    /// Describes a credential in a store; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - name: Tells the credentials in one store apart.
    ///   - store: Where the machines find it.
    ///   - lease: How long a refresh may take. If its machine is gone meanwhile, another one begins after about this time.
    public init(_ name: String, in store: any SharedStore, lease: Duration = .seconds(10)) {
        self.name = name
        self.store = store
        self.lease = lease
    }
}

/// What a fleet has written about its credential.
struct SharedCredentialRecord<Credential: Codable & Sendable>: Codable, Sendable {
    /// Tells it from every other record.
    var id = UUID().uuidString
    /// The same from a sign-in to its sign-out.
    var session: String
    /// `nil` after a sign-out.
    var credential: Credential?
}

/// The lock under which one machine of a fleet refreshes the credential.
struct SharedLock: Sendable {
    private struct Holder: Codable {
        var id = UUID().uuidString
        var until: SharedMoment
    }

    /// What came of an attempt to take it.
    enum Outcome: Sendable {
        case taken(Data)
        case held
    }

    let key: String
    let lease: Duration

    /// Takes the lock if nobody has it. A holder of whom nothing can be read, or who would have it for longer than anybody may, is none.
    func take(in store: any SharedStore) async throws -> Outcome {
        let reading = try await store.read([key])
        if let holder = SharedValue.open(reading[0], of: key, as: Holder.self), holder.until.time > reading.time,
            holder.until.time <= reading.time + lease * 2
        {
            return .held
        }
        let own = try SharedValue.seal(Holder(until: SharedMoment(reading.time + lease)), for: key)
        return try await store.replace(reading[0], with: own, for: key, lifetime: lease) ? .taken(own) : .held
    }

    func release(_ own: Data, in store: any SharedStore) async throws {
        _ = try await store.replace(own, with: nil, for: key, lifetime: lease)
    }
}

/// The part that a sign-in has in its fleet.
final class FleetMember<Credential: Codable & Sendable>: Sendable {
    typealias Record = SharedCredentialRecord<Credential>

    /// What another machine has written, and how many credentials of this one it is later than.
    struct News: Sendable {
        let record: Record
        let isSameSession: Bool
        let own: Int
    }

    private struct State: Sendable {
        /// The record that was written or taken over last.
        var known: String?
        /// The session of the fleet, and which one of this machine's it is.
        var session = UUID().uuidString
        var ownSession = 0
        /// How many credentials there were here that the others did not know of, and how many of them they know by now.
        var own = 0
        var published = 0
        /// Which of them was the last that somebody signed in or out with.
        var signedIn = 0
    }

    let shared: SharedCredential
    private let key: String
    private let lock: SharedLock
    private let state = Mutex(State())

    private static var lifetime: Duration { .seconds(30 * 86400) }

    init(_ shared: SharedCredential) {
        self.shared = shared
        key = "credential:\(shared.name)"
        lock = SharedLock(key: "lock:\(shared.name)", lease: shared.lease + .seconds(2))
    }

    /// Notes that there is a credential here that the others do not know of.
    func noteOwn(isSignIn: Bool) {
        state.withLock { state in
            state.own += 1
            if isSignIn { state.signedIn = state.own }
        }
    }

    /// What others have written since; `nil` if there is nothing of the kind, or if somebody has signed in or out here of which they do not know.
    ///
    /// - Parameter former: A credential that is of no use any more. Machines that begin with the same one have all written it.
    func news(in store: any SharedStore, besides former: Credential? = nil) async throws -> News? {
        guard let record = SharedValue.open(try await store.read([key])[0], of: key, as: Record.self) else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let isFormer = try former.map { try encoder.encode($0) == encoder.encode(record.credential) } ?? false
        return state.withLock { state in
            if record.id == state.known || state.published < state.signedIn { return nil }
            if isFormer {
                (state.known, state.session) = (record.id, record.session)
                return nil
            }
            return News(record: record, isSameSession: record.session == state.session, own: state.own)
        }
    }

    func noteTaken(_ news: News, ownSession: Int) {
        state.withLock { state in
            state.known = news.record.id
            state.session = news.record.session
            state.ownSession = ownSession
            state.published = max(state.published, news.own)
        }
    }

    /// Writes what is here, if the others do not know of it: the credential of the moment at which no other machine has written any more. What
    /// cannot be written is written with the next change.
    ///
    /// - Parameter present: Gives the credential, and which session of this machine it belongs to.
    func publish(_ access: SharedAccess, _ present: () -> (credential: Credential?, session: Int)) async {
        // Writes changes of the meantime, too.
        while let number = state.withLock({ $0.published < $0.own ? $0.own : nil }) {
            let written: String? = await access.change { store in
                let former = try await store.read([key])[0]
                let (credential, ownSession) = present()
                let session = state.withLock { state in
                    if state.ownSession != ownSession { (state.session, state.ownSession) = (UUID().uuidString, ownSession) }
                    return state.session
                }
                let record = Record(session: session, credential: credential)
                let isDone = try await store.replace(
                    former, with: try SharedValue.seal(record, for: key), for: key, lifetime: Self.lifetime)
                return isDone ? .done(record.id) : .lost
            }
            guard let written else { return }
            state.withLock { state in
                state.known = written
                state.published = max(state.published, number)
            }
        }
    }

    /// Runs a refresh as the only machine that does; `nil` if another one has written something meanwhile.
    ///
    /// - Throws: What `refresh` throws.
    func once<Value: Sendable>(
        replacing former: Credential,
        _ access: SharedAccess,
        on clock: any TimerClock,
        _ refresh: () async throws -> Value
    ) async throws -> Value? {
        let end = clock.now + lock.lease * 2
        var pause = Duration.milliseconds(20)
        while clock.now < end {
            let step = await access.attempt { store -> SharedLock.Outcome? in
                if try await news(in: store, besides: former) != nil { return nil }
                let outcome = try await lock.take(in: store)
                // Somebody may have been done with it just before.
                if case .taken(let own) = outcome, try await news(in: store, besides: former) != nil {
                    try await lock.release(own, in: store)
                    return nil
                }
                return outcome
            }
            switch step {
            case nil: return try await refresh()
            case .some(nil): return nil
            case .some(.held?):
                try await clock.sleep(for: pause)
                pause = min(pause * 2, .milliseconds(200))
            case .some(.taken(let own)?):
                do {
                    let value = try await refresh()
                    _ = await access.attempt { try await lock.release(own, in: $0) }
                    return value
                } catch {
                    _ = await access.attempt { try await lock.release(own, in: $0) }
                    throw error
                }
            }
        }
        // Whoever has the lock has it for longer than anybody may.
        return try await refresh()
    }
}
