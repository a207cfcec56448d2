import Foundation

// What a call takes in memory. It is asked for once for each call that is watched, in its way, so nothing is copied to find it out.

extension CallTrace {
    /// Cuts bodies that are too long, and gives about how many bytes the call takes then.
    package func settle(bodyLimit limit: Int) -> Int {
        state.withLock { state in
            let size = state.contents.size()
            // Where all of it is short, no body is long.
            guard size > limit, state.contents.isLong(limit) else { return size }
            state.contents.cutBodies(to: limit)
            return state.contents.size()
        }
    }
}

extension CallTrace.Contents {
    /// Takes about what a call needs that has nothing in it.
    private static let basis = 1536

    // To pass it by reference is why these two are mutating: it is large.

    /// Whether a body is longer than that.
    fileprivate mutating func isLong(_ limit: Int) -> Bool {
        // By chains, which copy nothing.
        let attempt = max(latest?.request.bodyCount ?? 0, latest?.response?.bodyCount ?? 0)
        if attempt > limit || request?.bodyCount ?? 0 > limit || earlier != nil { return true }
        guard latest == nil, case .success(let response) = end?.result else { return false }
        return response.bodyCount > limit
    }

    /// Cuts bodies that are too long, and lets go of what is there twice.
    fileprivate mutating func cutBodies(to limit: Int) {
        if request?.bodyCount ?? 0 > limit { request?.cutBody(to: limit) }
        let made = request
        changeAttempts { $0.cut(to: limit, sharing: made) }
        if let response = latest?.response {
            // The call has ended with it, and it may have been cut.
            if case .success = end?.result { end?.result = .success(response) }
        } else if case .success(var response) = end?.result, response.bodyCount > limit {
            response.cutBody(to: limit)
            end?.result = .success(response)
        }
    }

    /// Lets go of all bodies, and gives about how many bytes the rest takes.
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

    private mutating func changeAttempts(_ change: (inout CallTrace.Attempt) -> Void) {
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

extension CallTrace.Attempt {
    /// - Parameter shared: Whose body is cut already, and is the same if it was as long.
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
    ///   - fields: How many header fields the request had when it was made, of which most attempts have everything.
    ///   - body: How long its body was.
    fileprivate func size(besides fields: Int, _ body: Int) -> Int {
        var size = 256
        if request.bodyCount != body { size += request.bodyCount }
        // Sign-in and signature have added to it.
        if request.fieldCount != fields { size += request.headSize }
        size += (response?.headSize ?? 0) + (response?.bodyCount ?? 0)
        // Of these nobody has kept the bodies.
        if let redirects { for redirect in redirects { size += redirect.headSize } }
        return size
    }
}
