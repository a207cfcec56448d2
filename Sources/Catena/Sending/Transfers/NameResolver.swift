#if canImport(Glibc)
import CatenaPlatform
import Dispatch

/// Looks up host names on its own threads, and caches the addresses for a minute.
///
/// Used with libcurl before 7.87, where cancelling a lookup would block all transfers (`CurlTransport.route`).
///
/// A slow or abandoned lookup delays only other lookups of the same name, as long as fewer than 16 names are slow at a time.
final class NameResolver: Sendable {
    static let shared = NameResolver(look: system)

    private struct State {
        var known: [String: (addresses: [String], end: ContinuousClock.Instant)] = [:]
        var running: [String: [Resolver<[String]>]] = [:]
        /// The names that wait for a thread.
        var waiting: [String] = []
        /// The number of threads that look a name up.
        var busy = 0
    }

    private static let age = Duration.seconds(60)
    private static let mostKnown = 1_000

    private let look: @Sendable (String) throws -> [String]
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())
    private let threads: Int
    private let queue = DispatchQueue(label: "catena.names", attributes: .concurrent)

    /// - Parameters:
    ///   - threads: The maximum number of simultaneous lookups.
    ///   - now: Returns the current time.
    ///   - look: Returns the addresses of a name. Runs on a thread that it may block.
    init(
        threads: Int = 16, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        look: @escaping @Sendable (String) throws -> [String]
    ) {
        (self.threads, self.look, self.now) = (threads, look, now)
    }

    /// Returns the addresses of a name, in the order in which the system recommends to try them.
    func addresses(of name: String) -> Promise<[String]> {
        let moment = now()
        let (promise, mayBegin) = state.withLock { state -> (Promise<[String]>, Bool) in
            if let known = state.known[name], known.end > moment { return (Promise(value: known.addresses), false) }
            let (promise, resolver) = Promise<[String]>.pending()
            if state.running[name] == nil { state.waiting.append(name) }
            state.running[name, default: []].append(resolver)
            guard state.busy < threads, !state.waiting.isEmpty else { return (promise, false) }
            state.busy += 1
            return (promise, true)
        }
        if mayBegin { queue.async { [self] in runWaiting() } }
        return promise
    }

    /// Looks names up on one thread until none waits.
    private func runWaiting() {
        while let name = state.withLock({ state -> String? in
            if state.waiting.isEmpty { state.busy -= 1 }
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }) {
            run(name)
        }
    }

    private func run(_ name: String) {
        let result = Result { try look(name) }
        let end = now() + Self.age
        let waiting = state.withLock { state -> [Resolver<[String]>] in
            if case .success(let addresses) = result {
                if state.known.count >= Self.mostKnown { state.known = [:] }
                state.known[name] = (addresses, end)
            }
            return state.running.removeValue(forKey: name) ?? []
        }
        for resolver in waiting {
            switch result {
            case .success(let addresses): resolver.fulfill(addresses)
            case .failure(let error): resolver.reject(error)
            }
        }
    }

    /// Looks a name up with `getaddrinfo`, which blocks the thread.
    private static func system(_ name: String) throws -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = Int32(AI_ADDRCONFIG)
        var first: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(name, nil, &hints, &first)
        defer { if let first { freeaddrinfo(first) } }
        guard result == 0 else {
            let (shown, reason) = (Redaction.unbroken(name), String(cString: gai_strerror(result)))
            throw APIError(.dns, message: "The host's name could not be resolved: \(shown): \(reason).")
        }
        var addresses: [String] = []
        var next = first
        while let entry = next?.pointee {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 {
                let address = text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
                if !address.isEmpty, !addresses.contains(address) { addresses.append(address) }
            }
            next = entry.ai_next
        }
        guard !addresses.isEmpty else { throw APIError(.dns, message: "The host's name has no address: \(name).") }
        return addresses
    }

    /// Whether a host is an IP address, with or without brackets, and needs no lookup.
    static func isAddress(_ host: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        return inet_pton(AF_INET, bare, &four) == 1 || inet_pton(AF_INET6, String(bare.prefix { $0 != "%" }), &six) == 1
    }
}
#endif
