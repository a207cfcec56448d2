import Catena
import CatenaPlatform
import CatenaPromise

/// A credential that a fleet of machines shares. The machines take over each other's sign-ins and refreshes.
///
/// ```swift
/// let signIn = Authentication(
///     BearerAuthenticator { old in try await ForumAPI.refresh(old) },
///     shared: SharedCredential("forum", in: store))
/// if try await signIn.load() == nil { try signIn.signIn(token) }
/// ```
///
/// One machine refreshes the credential for all, under a lock that it holds for at most the lease. The others wait for its result. While the store
/// cannot be reached, each machine refreshes its own credential.
///
/// The store contains the credential unencrypted, so anyone who can read the store can use the credential.
public struct SharedCredential: Sendable {
    let name: String
    let store: any SharedStore
    let lease: Duration

    /// Describes a credential in a store, without reading or writing it yet.
    ///
    /// - Parameters:
    ///   - name: A name that distinguishes the credentials in one store.
    ///   - store: The store that the machines share.
    ///   - lease: The maximum duration of a refresh. If the refreshing machine crashes, another one starts after about this time.
    public init(_ name: String, in store: any SharedStore, lease: Duration = .seconds(10)) {
        self.name = name
        self.store = store
        self.lease = lease
    }
}

/// The record of a credential in the shared store.
struct SharedCredentialRecord<Credential: Codable & Sendable>: Codable, Sendable {
    /// Distinguishes the record from every other one.
    var id = UUID().uuidString
    /// Grows with each write. A machine never takes over a record that is not newer than the one that it knows, whatever the store returns.
    var generation: Int
    /// The possible generations, to each of which one can be added.
    static var generations: Range<Int> { 1..<(1 << 62) }

    /// The fleet's session, from a sign-in to its sign-out.
    var session: String
    /// `nil` after a sign-out. Such a record is a grave: it stays, so that a refresh that began before it finds it.
    var credential: Credential?
}

/// The lock under which one machine of a fleet refreshes the credential.
struct SharedLock: Sendable {
    private struct Holder: Codable {
        var id = UUID().uuidString
        var until: SharedMoment
    }

    /// The result of an attempt to take the lock.
    enum Outcome: Sendable {
        case taken(Data)
        case held
    }

    let key: String
    let lease: Duration

    /// Takes the lock if it is free. Ignores a holder that is unreadable, or whose lease ends later than twice the lease from now.
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

/// A sign-in's membership in its fleet.
final class FleetMember<Credential: Codable & Sendable>: Sendable {
    typealias Record = SharedCredentialRecord<Credential>

    /// A record of another machine, and the number of this machine's own changes when it was read.
    struct News: Sendable {
        let record: Record
        let isSameSession: Bool
        let own: Int
    }

    /// The result of an attempt to begin a refresh.
    private enum Step {
        case taken(Data)
        case held
        case superseded(News)
    }

    private struct State: Sendable {
        /// The generation of the record that this machine last wrote or took over.
        var known = 0
        /// The sessions that this machine has seen end, the newest last. Nothing of them is taken over, even if the store has lost their graves.
        var ended: [String] = []
        /// The fleet's session, and the number of this machine's session that it corresponds to.
        var session = UUID().uuidString
        var ownSession = 0
        /// The number of this machine's own changes of the credential, and how many of them have been published.
        var own = 0
        var published = 0
        /// The number of the last change that was a sign-in or sign-out.
        var signedIn = 0

        private static var mostEnded: Int { 64 }

        mutating func end(_ session: String) {
            ended.append(session)
            if ended.count > Self.mostEnded { ended.removeFirst() }
        }
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

    /// Records a change of this machine's credential, which is yet to be published.
    func noteOwn(isSignIn: Bool) {
        state.withLock { state in
            state.own += 1
            if isSignIn { state.signedIn = state.own }
        }
    }

    /// Returns the record of another machine if it is new. Returns `nil` if there is none, or if a local sign-in or sign-out is yet to be published.
    ///
    /// - Parameter former: A credential that is no longer accepted. A record with this credential is not new, because machines that started with the
    ///   same credential have all written it.
    func news(in store: any SharedStore, besides former: Credential? = nil) async throws -> News? {
        guard let record = record(in: try await store.read([key])[0]) else { return nil }
        return news(in: record, besides: former)
    }

    /// Returns the record in a value of the store, or `nil` if the value is damaged.
    private func record(in value: Data?) -> Record? {
        SharedValue.open(value, of: key, as: Record.self).flatMap { Record.generations.contains($0.generation) ? $0 : nil }
    }

    private func isEqual(_ former: Credential?, _ credential: Credential?) -> Bool {
        guard let former, let credential else { return false }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let known = try? encoder.encode(former) else { return false }
        return known == (try? encoder.encode(credential))
    }

    private func news(in record: Record, besides former: Credential?) -> News? {
        let isFormer = isEqual(former, record.credential)
        return state.withLock { state in
            if record.generation <= state.known || state.published < state.signedIn { return nil }
            if isFormer {
                (state.known, state.session) = (record.generation, record.session)
                return nil
            }
            if state.ended.contains(record.session) { return nil }
            return News(record: record, isSameSession: record.session == state.session, own: state.own)
        }
    }

    func noteTaken(_ news: News, ownSession: Int) {
        state.withLock { state in
            state.known = max(state.known, news.record.generation)
            if state.session != news.record.session { state.end(state.session) }
            if news.record.credential == nil { state.end(news.record.session) }
            state.session = news.record.session
            state.ownSession = ownSession
            state.published = max(state.published, news.own)
        }
    }

    /// Writes this machine's credential to the store if it has unpublished changes. After a write error, the next use of the store writes it.
    ///
    /// A sign-in or sign-out replaces any record. A refresh replaces only the record that it is a refresh of: if another machine has signed in or
    /// out meanwhile, the refreshed credential is dropped.
    ///
    /// - Parameters:
    ///   - former: The credential that this machine has refreshed, or `nil` after a sign-in or sign-out.
    ///   - present: Returns the credential and this machine's session at the time of the write.
    /// - Returns: The record that has superseded a refresh, if any.
    @discardableResult
    func publish(
        _ access: SharedAccess, replacing former: Credential? = nil, _ present: () -> (credential: Credential?, session: Int)
    ) async -> News? {
        // Repeat, because the credential may have changed during the write.
        while let number = state.withLock({ $0.published < $0.own ? $0.own : nil }) {
            let written: Written? = await access.change { store in
                let reading = try await store.read([key])
                let value = reading[0]
                let stored = record(in: value)
                if let stored, let news = supersedes(stored, former) { return .done(.superseded(news)) }
                let (credential, ownSession) = present()
                let (session, known) = state.withLock { state in
                    if state.ownSession != ownSession {
                        state.end(state.session)
                        (state.session, state.ownSession) = (UUID().uuidString, ownSession)
                    }
                    return (state.session, state.known)
                }
                // Not less than the store's time, so that a record after a loss of all records is newer than each that was lost.
                let generation = max(max(known, stored?.generation ?? 0) + 1, SharedMoment(reading.time).milliseconds)
                let record = Record(generation: generation, session: session, credential: credential)
                let isDone = try await store.replace(
                    value, with: try SharedValue.seal(record, for: key), for: key, lifetime: Self.lifetime)
                return isDone ? .done(.generation(record.generation)) : .lost
            }
            switch written {
            case nil: return nil
            case .superseded(let news): return news
            case .generation(let generation):
                state.withLock { state in
                    state.known = max(state.known, generation)
                    state.published = max(state.published, number)
                }
            }
        }
        return nil
    }

    private enum Written: Sendable {
        case generation(Int)
        case superseded(News)
    }

    /// Returns a stored record as news if it is newer than the one that this machine has refreshed. A sign-in or sign-out is superseded by nothing.
    private func supersedes(_ stored: Record, _ former: Credential?) -> News? {
        let isFormer = isEqual(former, stored.credential)
        return state.withLock { state in
            if isFormer, stored.generation > state.known {
                // A machine has signed in with the credential that this one has refreshed, which is no longer valid.
                (state.known, state.session) = (stored.generation, stored.session)
                return nil
            }
            guard state.published >= state.signedIn, stored.generation > state.known, !state.ended.contains(stored.session) else {
                return nil
            }
            return News(record: stored, isSameSession: stored.session == state.session, own: state.own)
        }
    }

    /// Runs a refresh on one machine of the fleet at a time. Returns the record of another machine instead, if it has stored a new one.
    ///
    /// - Throws: The errors of `refresh`.
    func once(
        replacing former: Credential, _ access: SharedAccess, on clock: any TimerClock, _ refresh: () async throws -> Void
    ) async throws -> News? {
        let end = clock.now + lock.lease * 2
        var pause = Duration.milliseconds(20)
        while clock.now < end {
            let attempted = await access.attempt { store -> Step in
                if let news = try await news(in: store, besides: former) { return .superseded(news) }
                guard case .taken(let own) = try await lock.take(in: store) else { return .held }
                // Check again, because another machine may have stored its result just before.
                guard let news = try await news(in: store, besides: former) else { return .taken(own) }
                // The news counts even if the lock stays until its lease ends.
                try? await lock.release(own, in: store)
                return .superseded(news)
            }
            guard let step = attempted else { break }
            switch step {
            case .superseded(let news): return news
            case .held:
                try await clock.sleep(for: pause)
                pause = min(pause * 2, .milliseconds(200))
            case .taken(let own):
                do {
                    try await refresh()
                    _ = await access.attempt { try await lock.release(own, in: $0) }
                    return nil
                } catch {
                    _ = await access.attempt { try await lock.release(own, in: $0) }
                    throw error
                }
            }
        }
        // The store cannot be reached, or the holder has kept the lock for longer than allowed, so refresh without it.
        try await refresh()
        return nil
    }
}
