import Catena
import CatenaPromise
import Foundation

/// A change that the inspector applies to calls until it is removed.
final class Effect: Sendable {
    enum Kind: Sendable {
        case stub(CannedResponse)
        case slow(Duration)
        /// Fails a share of the calls, from 0 to 1, with a status or, without one, with a lost connection.
        case fail(share: Double, status: Int?)
        case offline
    }

    let id: Int
    let kind: Kind
    /// The tag whose calls are affected, or `nil` for all calls.
    let tag: Tag?
    private let hitCount = AtomicCounter()

    init(id: Int, kind: Kind, tag: Tag?) {
        (self.id, self.kind, self.tag) = (id, kind, tag)
    }

    var hits: Int { hitCount.count }

    func hit() { hitCount.add(1) }

    var name: String {
        switch kind {
        case .stub: "stub"
        case .slow: "slow"
        case .fail: "fail"
        case .offline: "offline"
        }
    }

    func isMeant(for call: Call) -> Bool {
        guard tag == nil || tag == call.tag else { return false }
        guard case .stub(let response) = kind else { return true }
        return response.isMeant(for: call.request)
    }

    func write(into output: inout JSONOutput) {
        output.object { output in
            output.member("id", id)
            output.member("hits", hits)
            output.member("kind", name)
            output.member("tag", tag?.name)
            switch kind {
            case .stub(let response): response.write(into: &output)
            case .slow(let delay): output.member("delay", milliseconds: delay.milliseconds)
            case .fail(let share, let status):
                output.key("share")
                output.number(share)
                output.member("status", status)
            case .offline: break
            }
        }
    }
}

/// A response that calls to a path receive instead of the server's.
struct CannedResponse: Sendable {
    /// The method, or `nil` for any.
    var method: HTTPMethod?
    /// The path, in which `*` matches any text.
    var path: String
    var status = 200
    var headers = HTTPHeaders()
    var body = ""
    var delay = Duration.zero

    func isMeant(for request: HTTPRequest) -> Bool {
        (method == nil || method == request.method) && Self.matches(request.address.path[...], path)
    }

    private static func matches(_ path: Substring, _ pattern: String) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return path == pattern }
        guard path.hasPrefix(parts[0]) else { return false }
        var rest = path.dropFirst(parts[0].count)
        for part in parts[1..<(parts.count - 1)] where !part.isEmpty {
            guard let place = rest.range(of: part) else { return false }
            rest = rest[place.upperBound...]
        }
        return rest.hasSuffix(parts[parts.count - 1])
    }

    func write(into output: inout JSONOutput) {
        output.member("method", method?.name)
        output.member("path", path)
        output.member("status", status)
        output.key("headers")
        output.pairs(headers.fields.map { ($0.name, $0.value) })
        output.member("body", body)
        output.member("delay", milliseconds: delay.milliseconds)
    }
}

/// Returns an effect's response or error without using the network.
struct EffectTransport: Transport {
    enum Answer: Sendable {
        case response(CannedResponse)
        case error(APIError)
    }

    let answer: Answer

    func send(_ request: HTTPRequest) async throws -> TransportResponse { try await send(request, in: TransferContext()) }

    func send(_ request: HTTPRequest, in context: TransferContext) async throws -> TransportResponse {
        switch answer {
        case .error(let error): throw error
        case .response(let canned):
            try await context.stub.clock.sleep(for: canned.delay)
            var response = TransportResponse(status: canned.status, headers: canned.headers, body: TransportBody(Data(canned.body.utf8)))
            response.source = .stub
            return response
        }
    }
}
