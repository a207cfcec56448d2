#if os(Linux) && canImport(Glibc)
import CatenaPlatform

/// The addresses at which a transfer reaches its server, as libcurl takes them: lines of CURLOPT_RESOLVE and CURLOPT_CONNECT_TO.
///
/// A host gets an alias for exactly these addresses. Under the host's own name, libcurl would use the addresses for other tags too. It
/// would also share a connection to one address with tags that want another.
struct CurlRoute: Sendable, Equatable {
    let resolve: String
    /// The line that connects a host to its alias, or `nil` for a proxy, which is connected to by its own name.
    let connectTo: String?

    /// Makes the route to a host.
    init(to host: String, port: Int, at addresses: [String]) {
        let alias = Self.alias(of: addresses)
        resolve = Self.line(alias, port, addresses)
        connectTo = "\(host):\(port):\(alias):\(port)"
    }

    /// Makes the route to a proxy.
    init(toProxy host: String, port: Int, at addresses: [String]) {
        resolve = Self.line(host, port, addresses)
        connectTo = nil
    }

    /// The plus sign makes the line expire like a lookup. Otherwise libcurl would keep it as long as the loop runs.
    private static func line(_ name: String, _ port: Int, _ addresses: [String]) -> String {
        let list = addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
        return "+\(name):\(port):\(list)"
    }

    /// Returns a name that no server has (RFC 2606), and that does not depend on the order of the addresses.
    private static func alias(of addresses: [String]) -> String {
        // FNV-1a.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in addresses.sorted().joined(separator: ",").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return "catena-\(String(hash, radix: 16)).invalid"
    }

    /// Returns the host and the port of a proxy's address.
    static func place(ofProxy proxy: String) -> (host: String, port: Int)? {
        var scheme = "http"
        var rest = Substring(proxy)
        if let end = rest.firstRange(of: "://") {
            scheme = rest[..<end.lowerBound].lowercased()
            rest = rest[end.upperBound...]
        }
        rest = rest.prefix { $0 != "/" && $0 != "?" }
        if let sign = rest.lastIndex(of: "@") { rest = rest[rest.index(after: sign)...] }
        guard !rest.hasPrefix("[") else { return nil }
        let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
        // The maximum length is from RFC 1035 §2.3.4.
        guard let host = parts.first, (1...253).contains(host.utf8.count), parts.count <= 2, !proxy.utf8.contains(0) else { return nil }
        // The default ports of libcurl.
        guard parts.count == 2 else { return (String(host), scheme == "https" ? 443 : 1080) }
        return Int(parts[1]).map { (String(host), $0) }
    }
}

extension CurlTransport {
    /// Returns the addresses for a request, or `nil` if libcurl looks them up. A tag may name the addresses. A libcurl that cannot abandon
    /// a lookup also gets them.
    func route(for request: HTTPRequest, proxy: String, heeding stopper: TransferStopper?) async throws -> CurlRoute? {
        let host = request.address.host
        let port = request.address.port ?? HTTPAddress.defaultPort(of: request.address.scheme)
        if let named = request.routing?.addresses[host] {
            for address in named where !NameResolver.isAddress(address) {
                throw APIError.invalid("resolve", "\"\(address)\" is no address of IPv4 or IPv6")
            }
            guard proxy.isEmpty else {
                throw APIError.invalid("resolve", "\(host) is reached through a proxy, which looks the name up itself")
            }
            return CurlRoute(to: host, port: port, at: named)
        }
        guard !CurlLibrary.leavesLookUps, !usesUnixSocket else { return nil }
        if proxy.isEmpty {
            return NameResolver.isAddress(host) ? nil : CurlRoute(to: host, port: port, at: try await addresses(of: host, stopper))
        }
        // libcurl reports the error of a proxy address that cannot be parsed.
        guard let place = CurlRoute.place(ofProxy: proxy), !NameResolver.isAddress(place.host) else { return nil }
        return CurlRoute(toProxy: place.host, port: place.port, at: try await addresses(of: place.host, stopper))
    }

    private func addresses(of name: String, _ stopper: TransferStopper?) async throws -> [String] {
        let looking = NameResolver.shared.addresses(of: name)
        let (promise, resolver) = Promise<[String]>.pending()
        stopper?.watch { error in resolver.reject(APIError.adding(.lookUp, to: error)) }
        looking.whenSettled { result in
            switch result {
            case .success(let addresses): resolver.fulfill(addresses)
            case .failure(let error): resolver.reject(error)
            }
        }
        guard let deadline = stopper?.limits.running else { return try await promise.value }
        let timer = SystemClock.shared.schedule(after: max(deadline.instant - .now, .zero)) {
            resolver.reject(APIError(late: deadline.limit, in: .lookUp))
        }
        defer { timer.cancel() }
        return try await promise.value
    }
}
#endif
