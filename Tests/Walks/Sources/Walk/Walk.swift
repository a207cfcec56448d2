import Catena
import Foundation

#if canImport(Glibc)
import Glibc
#endif

extension Catena.Tag {
    static let forum: Catena.Tag = "forum"
}

// The profiling runtime, which the compiler links to code that counts its executions.
@_silgen_name("__llvm_profile_reset_counters") private func forgetCounts()
@_silgen_name("__llvm_profile_write_file") private func writeCounts() -> CInt

/// Makes one call, and writes the counts of the executed code. The arguments are the kind of call and the server's address.
@main struct Walk {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { throw Usage() }
        let (kind, host) = (arguments[1], arguments[2])
        API.configure(.forum) { forum in
            forum.host = host
            if kind == "staged" { configureEverything(&forum) }
        }
        API.commonParams { _ in ["v": "3.2"] }
        API.commonHeaders { _ in ["X-App": "walk"] }
        // The counted call uses an existing connection, as most calls do.
        try await call("plain", page: 0)
        forgetCounts()
        try await call(kind, page: 1)
        guard writeCounts() == 0 else { throw Usage() }
        // Code that runs after the call must not be counted.
        _exit(0)
    }

    private static func call(_ kind: String, page: Int) async throws {
        switch kind {
        case "plain":
            _ = try await API.tag(.forum).get("/rooms").params(["page": page]).execute(as: [Int].self).then { _ in }.value
        case "awaited":
            _ = try await API.tag(.forum).get("/rooms").params(["page": page]).value(as: [Int].self)
        case "staged":
            _ = try await API.tag(.forum).get("/unwell").params(["page": page]).value(as: [Int].self)
        case "changing":
            _ = try await API.tag(.forum).get("/rooms").params(["page": page]).set(\.invalidates, ["/rooms"]).value(as: [Int].self)
        case "stream":
            for try await _ in API.tag(.forum).get("/rooms").params(["page": page]).stream() {}
        case "download":
            let folder = FileManager.default.temporaryDirectory.appending(path: "walk-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            _ = try await API.tag(.forum).get("/rooms").execute(.download(to: folder.appending(path: "rooms"))).value
        default: throw Usage()
        }
    }

    private static func configureEverything(_ forum: inout Profile) {
        forum.dedupe = true
        forum.cache = .memory(limit: 1 << 20)
        forum.circuitBreaker = CircuitBreakerPolicy()
        forum.rateLimits = [RateLimit(100, per: .seconds(1))]
        forum.maxConcurrentCalls = ConcurrencyLimit(4)
        forum.retry = .exponential(limit: 2)
        forum.hedgeDelay = .seconds(10)
        forum.authentication = Authentication(
            BearerAuthenticator { _ in BearerToken(accessToken: "new") }, store: MemoryCredentialStore(BearerToken(accessToken: "made-up")))
        forum.sendsTraceparent = true
        forum.signer = ParameterSigner(.md5, placement: .header("X-Sign"))
    }

    struct Usage: Error {}
}
