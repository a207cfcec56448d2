import CatenaTesting
import Foundation
import TestSupport

@testable import Catena

/// A transport whose requests wait until the test sends their responses.
final class HeldTransport: Transport {
    private let replies = Mutex<[Resolver<TransportResponse>]>([])
    private let sent = Recorder<HTTPRequest>()
    private let left = Recorder<Int>()

    /// The requests, in the order of their arrival.
    var requests: [HTTPRequest] { sent.events }
    /// The numbers of the cancelled requests, from 0.
    var givenUp: [Int] { left.events }

    func send(_ request: HTTPRequest) async throws -> TransportResponse {
        let (reply, resolver) = Promise<TransportResponse>.pending()
        let number = replies.withLock { replies in
            replies.append(resolver)
            return replies.count - 1
        }
        sent.note(request)
        do {
            return try await reply.value
        } catch let error as CancellationError {
            left.note(number)
            throw error
        }
    }

    func arrived(_ count: Int) async { await sent.reached(count) }

    func gaveUp(_ count: Int) async { await left.reached(count) }

    func reply(_ number: Int, _ response: TransportResponse) {
        replies.withLock { $0[number] }.fulfill(response)
    }

    func fail(_ number: Int, _ kind: APIError.Kind) {
        replies.withLock { $0[number] }.reject(APIError(kind))
    }
}
