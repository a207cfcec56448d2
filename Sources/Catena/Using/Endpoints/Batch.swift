extension API {
    /// Sends requests concurrently and returns a promise of all results. See ``Client/batch(_:as:concurrency:control:file:line:)``.
    @discardableResult
    public static func batch<Value: Decodable & Sendable>(
        _ requests: [Request],
        as type: Value.Type = JSON.self,
        concurrency: Int? = nil,
        control: TransferControl? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<[Result<Value, APIError>]> {
        Client.current.batch(requests, as: type, concurrency: concurrency, control: control, file: file, line: line)
    }

    /// Calls endpoints of one type concurrently. See ``Client/batch(_:concurrency:control:file:line:)``.
    @discardableResult
    public static func batch<Described: Endpoint>(
        _ endpoints: [Described],
        concurrency: Int? = nil,
        control: TransferControl? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<[Result<Described.Response, APIError>]> {
        Client.current.batch(endpoints, concurrency: concurrency, control: control, file: file, line: line)
    }
}

/// Runs many calls, a limited number at a time.
struct Batch {
    private var requests: [Request]
    let concurrency: Int
    let control: TransferControl?

    init(requests: [Request], client: Client, concurrency: Int?, control: TransferControl?) {
        self.requests = requests.map { request in
            var request = request
            request.client = (request.client ?? client).active
            request.options[\.control] = request.options[\.control] ?? control
            return request
        }
        self.concurrency = concurrency ?? 6
        self.control = control
    }

    func run<Value: Sendable>(_ target: ResultDecoder<Value>, _ file: StaticString, _ line: UInt) -> Promise<[Result<Value, APIError>]> {
        guard concurrency > 0 else {
            return Promise(
                error: APIError.invalid("batch", "the concurrency is \(concurrency), but must be at least 1"), file: file, line: line)
        }
        let clients = clients
        // Counted until the end of the batch, so that `waitUntilIdle()` does not return between two of its calls.
        for client in clients { client.expectedEnds.withLock { $0 += 1 } }
        let batch = begun()
        let promise = Promise(file: file, line: line) { try await batch.results(target) }
        promise.core.whenSettled { for client in clients { client.expectedEnds.withLock { $0 -= 1 } } }
        return promise
    }

    /// Returns the batch with an origin for each call. A later shutdown, or a later change of user, then does not concern the calls that have not
    /// begun.
    private func begun() -> Batch {
        var batch = self
        var callers = BatchCallers()
        for index in requests.indices {
            guard let client = requests[index].client else { continue }
            batch.requests[index].origin = callers.origin(of: requests[index], client)
        }
        return batch
    }

    /// The clients of the calls, each once.
    private var clients: [Client] {
        var known = Set<ObjectIdentifier>()
        return requests.compactMap(\.client).filter { known.insert(ObjectIdentifier($0)).inserted }
    }

    private func results<Value: Sendable>(_ target: ResultDecoder<Value>) async throws -> [Result<Value, APIError>] {
        var results = [Result<Value, APIError>?](repeating: nil, count: requests.count)
        try await withThrowingTaskGroup(of: (Int, Result<Value, APIError>).self) { group in
            for (index, request) in requests.enumerated() {
                if index >= concurrency, let (place, result) = try await group.next() { results[place] = result }
                try await control?.waitWhileSuspended()
                try Task.checkCancellation()
                group.addTask { (index, await request.result(target).mapError(APIError.wrapping)) }
            }
            while let (place, result) = try await group.next() { results[place] = result }
        }
        try Task.checkCancellation()
        return results.compactMap { $0 }
    }
}
