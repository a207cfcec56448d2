import Catena
import CatenaPromise
import Foundation

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
    /// The fleet's session, from a sign-in to its sign-out.
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
        /// The record that this machine last wrote or took over.
        var known: String?
        /// The fleet's session, and the number of this machine's session that it corresponds to.
        var session = UUID().uuidString
        var ownSession = 0
        /// The number of this machine's own changes of the credential, and how many of them have been published.
        var own = 0
        var published = 0
        /// The number of the last change that was a sign-in or sign-out.
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

    /// Writes this machine's credential to the store if it has unpublished changes. After a write error, the next change writes it.
    ///
    /// - Parameter present: Returns the credential and this machine's session at the time of the write.
    func publish(_ access: SharedAccess, _ present: () -> (credential: Credential?, session: Int)) async {
        // Repeat, because the credential may have changed during the write.
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
