public import Catena

/// Routes: a method, a path pattern and a handler. Of several matching routes, the one added last responds. Without a matching route the
/// response is 404.
///
/// In a pattern, `{name}` matches one segment, which the handler finds in ``StubRequest/parameters``. `*` matches one segment, or the rest of
/// the path if it comes last. A HEAD without its own route receives the response to the GET, without the body.
///
/// A handler without `await` runs on the server's thread, one at a time, and must not block. A handler with `await` runs as a task, which is
/// cancelled when its client disconnects. If a handler throws, the response has status 500.
extension LoopbackServer {
    /// Adds a route. It applies to every method if `method` is `nil`.
    public func on(_ method: HTTPMethod?, _ path: String, _ handler: @escaping @Sendable (StubRequest) throws -> StubReply) {
        core.add(ServerRoute(method: method, pattern: path, handler: .immediate(handler)))
    }

    /// Adds a route whose handler suspends. It applies to every method if `method` is `nil`.
    public func on(
        _ method: HTTPMethod?, _ path: String, _ handler: @escaping @Sendable (StubRequest) async throws -> StubReply
    ) {
        core.add(ServerRoute(method: method, pattern: path, handler: .suspending(handler)))
    }

    /// Adds a route for GET.
    public func get(_ path: String, _ handler: @escaping @Sendable (StubRequest) throws -> StubReply) {
        on(.get, path, handler)
    }

    /// Adds a route for GET whose handler suspends.
    public func get(_ path: String, _ handler: @escaping @Sendable (StubRequest) async throws -> StubReply) {
        on(.get, path, handler)
    }

    /// Adds a route for POST.
    public func post(_ path: String, _ handler: @escaping @Sendable (StubRequest) throws -> StubReply) {
        on(.post, path, handler)
    }

    /// Adds a route for POST whose handler suspends.
    public func post(_ path: String, _ handler: @escaping @Sendable (StubRequest) async throws -> StubReply) {
        on(.post, path, handler)
    }

    /// Adds a route for PUT.
    public func put(_ path: String, _ handler: @escaping @Sendable (StubRequest) throws -> StubReply) {
        on(.put, path, handler)
    }

    /// Adds a route for PUT whose handler suspends.
    public func put(_ path: String, _ handler: @escaping @Sendable (StubRequest) async throws -> StubReply) {
        on(.put, path, handler)
    }

    /// Adds a route for PATCH.
    public func patch(_ path: String, _ handler: @escaping @Sendable (StubRequest) throws -> StubReply) {
        on(.patch, path, handler)
    }

    /// Adds a route for PATCH whose handler suspends.
    public func patch(_ path: String, _ handler: @escaping @Sendable (StubRequest) async throws -> StubReply) {
        on(.patch, path, handler)
    }

    /// Adds a route for DELETE.
    public func delete(_ path: String, _ handler: @escaping @Sendable (StubRequest) throws -> StubReply) {
        on(.delete, path, handler)
    }

    /// Adds a route for DELETE whose handler suspends.
    public func delete(_ path: String, _ handler: @escaping @Sendable (StubRequest) async throws -> StubReply) {
        on(.delete, path, handler)
    }

    /// Adds a route for HEAD.
    public func head(_ path: String, _ handler: @escaping @Sendable (StubRequest) throws -> StubReply) {
        on(.head, path, handler)
    }

    /// Adds a route for HEAD whose handler suspends.
    public func head(_ path: String, _ handler: @escaping @Sendable (StubRequest) async throws -> StubReply) {
        on(.head, path, handler)
    }

    /// Adds a route for OPTIONS.
    public func options(_ path: String, _ handler: @escaping @Sendable (StubRequest) throws -> StubReply) {
        on(.options, path, handler)
    }

    /// Adds a route for OPTIONS whose handler suspends.
    public func options(_ path: String, _ handler: @escaping @Sendable (StubRequest) async throws -> StubReply) {
        on(.options, path, handler)
    }
}
