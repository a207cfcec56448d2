import Catena
import Foundation

extension CallTrace.Contents {
    /// Takes about what a call needs that has nothing in it.
    private static let basis = 1536

    /// Cuts bodies that are too long, lets go of what is there twice, and gives about how many bytes the rest takes.
    mutating func settle(bodyLimit limit: Int) -> Int {
        if let body = request?.body, body.count > limit { request?.body = body.start(limit) }
        for index in attempts.indices { attempts[index].cut(to: limit, sharing: request) }
        // The response that the call has ended with is the one of its last attempt, unless it has none.
        if case .success(let response) = end?.result {
            if let last = attempts.last?.responses.last?.response, last.status == response.status {
                end?.result = .success(last)
            } else if response.body.count > limit {
                var response = response
                response.body = response.body.start(limit)
                end?.result = .success(response)
            }
        }
        return size
    }

    /// Lets go of all bodies, and gives about how many bytes the rest takes.
    mutating func dropBodies() -> Int {
        isWithoutBodies = true
        request?.body = nil
        for index in attempts.indices { attempts[index].cut(to: 0, sharing: nil) }
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
        return size
    }

    private var size: Int {
        var size = Self.basis + spans.count * 64 + decisions.count * 256
        // What the attempts have is mostly the same.
        if let request { size += request.headers.size + request.address.path.utf8.count + (request.body?.count ?? 0) }
        for attempt in attempts {
            size += 256
            if attempt.request.body?.count != request?.body?.count { size += attempt.request.body?.count ?? 0 }
            if attempt.request.headers.count != request?.headers.count { size += attempt.request.headers.size }
            for answer in attempt.responses { size += answer.response.headers.size + answer.response.body.count + 256 }
        }
        switch end?.result {
        case .success(let response): if attempts.isEmpty { size += response.headers.size + response.body.count + 256 }
        case .failure(let error as APIError): size += 1024 + (error.body?.count ?? 0) + error.message.utf8.count
        case .failure, nil: break
        }
        return size
    }
}

extension CallTrace.Attempt {
    /// - Parameter shared: Whose body is cut already, and is the same if it was as long.
    fileprivate mutating func cut(to limit: Int, sharing shared: HTTPRequest?) {
        if let body = request.body, body.count > limit {
            requestSize = requestSize ?? body.count
            request.body = shared?.body?.count == limit ? shared?.body : body.start(limit)
        }
        for index in responses.indices where responses[index].response.body.count > limit {
            let body = responses[index].response.body
            responses[index].size = responses[index].size ?? body.count
            responses[index].response.body = body.start(limit)
        }
    }
}

extension Data {
    /// The first bytes alone: a slice would keep the whole.
    fileprivate func start(_ count: Int) -> Data { Data([UInt8](prefix(count))) }
}

extension HTTPHeaders {
    fileprivate var size: Int { fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 } }
}
