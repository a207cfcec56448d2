/// Makes responses stale that the call has changed, by the paths of ``CallOptions/invalidates``.
struct InvalidationStage: Stage {
    let paths: [Path]

    var name: StageName { .cache }
    var explanation: String { "invalidates: " + paths.map { "\($0)" }.joined(separator: ", ") }

    func run(_ call: Call, _ next: Next) async throws -> HTTPResponse {
        let names = try call.names(of: paths)
        let response: HTTPResponse
        do {
            response = try await next(call)
        } catch {
            if call.run.mayHaveChangedSomething(in: error) { await call.invalidate(names) }
            throw error
        }
        // A response from the cache has changed nothing.
        if response.source != .cache { await call.invalidate(names) }
        return response
    }
}

extension Call {
    /// Makes the responses with these names stale: those in the cache, those in progress that other calls could join, and the latest ones of
    /// ``Request/values(of:)``.
    func invalidate(_ names: [String]) async {
        run.inspected?.decided("cache", "the kept responses of \(names.count) paths or groups are stale now")
        if let cache = profile.cache {
            client.expectedEnds.withLock { $0 += 1 }
            // In a task of its own, because the call may have been stopped, and its request carried out nevertheless.
            let work = Task { [client] in
                await cache.forget(named: names, client.diagnostics.outageHandler)
                client.expectedEnds.withLock { $0 -= 1 }
            }
            // A shared store takes its time, which the deadline limits.
            try? await wait { await work.value }
        }
        client.invalidations.withLock { $0.add(names) }
    }

    /// Returns the names of paths on the call's host. Throws if one of them is no path.
    fileprivate func names(of paths: [Path]) throws -> [String] {
        guard paths.count <= InvalidationLog.mostNames else {
            throw APIError.invalid(
                "invalidates", "there are \(paths.count) paths and at most \(InvalidationLog.mostNames) are allowed; use /**")
        }
        let home = try? run.ownHome?.get()
        let (origin, base) = ((home ?? prepared.address).origin, home?.path ?? "")
        return try paths.map { path in
            let text: String
            do throws(PathTemplate.Fault) {
                text = try path.text(in: configuration.parameterStyle)
            } catch {
                throw APIError.invalid("invalidates", "\(error.name): \(error.reason)")
            }
            // Such a path would silently match nothing.
            if text.contains("://") || text.contains(where: { "?#{".contains($0) }) {
                throw APIError.invalid(
                    "invalidates", "\(path) is not a path alone; leave out host and query, and interpolate the values of names")
            }
            return ResponseNames.pattern(base + "/" + text, at: origin)
        }
    }
}

extension CallRun {
    /// Whether the server may have carried out a call that ended with this error.
    ///
    /// An error status or a failing code is the server's word that it has not (RFC 9111 §4.4). Without that word the outcome is unknown. A response
    /// that is asked for again costs a request, and a stale one shows what is no longer true.
    fileprivate func mayHaveChangedSomething(in error: any Error) -> Bool {
        let attempts = history.attempts
        guard attempts > 0 else { return false }
        guard let error = error as? APIError else { return true }
        if let status = error.status { return (200..<400).contains(status) && error.kind != .business }
        let isUnsent = attempts == 1 && error.contents.redirection == nil && [.offline, .dns, .connect, .tls].contains(error.kind)
        return !isUnsent
    }
}
