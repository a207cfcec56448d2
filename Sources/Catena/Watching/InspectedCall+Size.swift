import CatenaPlatform

// The memory size of a trace. Each watched call computes it once, synchronously, so nothing is copied.

extension InspectedCall {
    /// Cuts bodies above the limit. Returns the approximate size of the trace afterwards, in bytes.
    package func settle(bodyLimit limit: Int) -> Int {
        state.withLock { state in
            let size = state.contents.size()
            // If the whole trace is short, no body is above the limit.
            guard size > limit, state.contents.isLong(limit) else { return size }
            state.contents.cutBodies(to: limit)
            return state.contents.size()
        }
    }
}

extension InspectedCall.Contents {
    /// The approximate size of an empty trace, in bytes.
    private static let basis = 1536

    // These two are mutating so that the large value is passed by reference.

    /// Returns whether a body is above the limit.
    fileprivate mutating func isLong(_ limit: Int) -> Bool {
        // Optional chaining reads the counts without copying.
        let attempt = max(latest?.request.bodyCount ?? 0, latest?.response?.bodyCount ?? 0)
        if attempt > limit || request?.bodyCount ?? 0 > limit || earlier != nil { return true }
        guard latest == nil, case .success(let response) = end?.result else { return false }
        return response.bodyCount > limit
    }

    /// Cuts bodies above the limit, and shares those that are stored twice.
    fileprivate mutating func cutBodies(to limit: Int) {
        if request?.bodyCount ?? 0 > limit { request?.cutBody(to: limit) }
        let made = request
        changeAttempts { $0.cut(to: limit, sharing: made) }
        if let response = latest?.response {
            // The result is the same response, whose body may have been cut above.
            if case .success = end?.result { end?.result = .success(response) }
        } else if case .success(var response) = end?.result, response.bodyCount > limit {
            response.cutBody(to: limit)
            end?.result = .success(response)
        }
    }

    /// Removes all bodies. Returns the approximate size of the rest, in bytes.
    package mutating func dropBodies() -> Int {
        isWithoutBodies = true
        request?.body = nil
        changeAttempts { $0.cut(to: 0, sharing: nil) }
        switch end?.result {
        case .success(var response):
            response.body = Data()
            end?.result = .success(response)
        case .failure(let error as APIError):
            var error = error
            error.body = nil
            end?.result = .failure(error)
        case .failure, nil: break
        }
        return size()
    }

    private mutating func changeAttempts(_ change: (inout InspectedCall.Attempt) -> Void) {
        for index in (earlier ?? []).indices { earlier?[index].change(change) }
        latest?.change(change)
    }

    fileprivate mutating func size() -> Int {
        var size = Self.basis + noteSize
        let (fields, body) = (request?.fieldCount ?? 0, request?.bodyCount ?? 0)
        size += (request?.headSize ?? 0) + body
        if let earlier { for attempt in earlier { size += attempt.size(besides: fields, body) } }
        size += latest?.size(besides: fields, body) ?? 0
        switch end?.result {
        case .success(let response): if latest?.response == nil { size += response.headSize + response.bodyCount }
        case .failure(let error as APIError): size += 1024 + (error.body?.count ?? 0) + error.message.utf8.count
        case .failure, nil: break
        }
        return size
    }
}

extension InspectedCall.Attempt {
    /// - Parameter shared: A request whose body is already cut. It is reused if it was equally long.
    fileprivate mutating func cut(to limit: Int, sharing shared: HTTPRequest?) {
        if request.bodyCount > limit {
            requestSize = requestSize ?? request.bodyCount
            if let shared, shared.bodyCount == limit { request.body = shared.body } else { request.cutBody(to: limit) }
        }
        if let response, response.bodyCount > limit {
            responseSize = responseSize ?? response.bodyCount
            self.response?.cutBody(to: limit)
        }
    }

    /// - Parameters:
    ///   - fields: The number of header fields of the assembled request, which most attempts share.
    ///   - body: The size of the body of the assembled request.
    fileprivate func size(besides fields: Int, _ body: Int) -> Int {
        var size = 256
        if request.bodyCount != body { size += request.bodyCount }
        // The credential and the signature have added fields.
        if request.fieldCount != fields { size += request.headSize }
        size += (response?.headSize ?? 0) + (response?.bodyCount ?? 0)
        // The bodies of redirects are not stored.
        if let redirects { for redirect in redirects { size += redirect.headSize } }
        return size
    }
}
