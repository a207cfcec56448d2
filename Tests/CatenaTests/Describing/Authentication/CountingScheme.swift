import CatenaTesting
import Foundation
import TestSupport

@testable import Catena

struct Stamp: Codable, Sendable, Equatable {
    var number: Int
    var isStale = false

    static let first = Stamp(number: 0)
}

/// An authenticator that counts the calls of its methods.
final class CountingScheme: Authenticator {
    let applied = Counter()
    let refreshed = Counter()
    let asked = Counter()
    let rule: UnauthorizedRule
    let requiresCredential: Bool
    let canRefresh: Bool
    private let renew: @Sendable (Stamp) async throws -> Stamp

    init(
        rule: UnauthorizedRule = UnauthorizedRule(),
        requiresCredential: Bool = true,
        canRefresh: Bool = true,
        renew: @escaping @Sendable (Stamp) async throws -> Stamp = { Stamp(number: $0.number + 1) }
    ) {
        self.rule = rule
        self.requiresCredential = requiresCredential
        self.canRefresh = canRefresh
        self.renew = renew
    }

    func apply(_ credential: Stamp, to request: inout HTTPRequest) {
        applied.increment()
        request.headers["X-Token"] = "a\(credential.number)"
    }

    func refresh(_ credential: Stamp) async throws -> Stamp {
        refreshed.increment()
        return try await renew(credential)
    }

    func needsRefresh(_ credential: Stamp) -> Bool { credential.isStale }

    func isUnauthorized(_ error: APIError) -> Bool {
        asked.increment()
        return rule.matches(error)
    }

    func identity(of credential: Stamp) -> String { "user" }

    var counts: [Int] { [applied.count, refreshed.count, asked.count] }
}

extension CallAuthentication {
    /// Authenticates a request as the pipeline does.
    func authenticateAfterWait(_ request: inout HTTPRequest, _ context: AuthenticationContext) async throws -> AuthenticationPass {
        while true {
            if let pass = try authenticate(&request, context) { return pass }
            try await awaitCredential(context)
        }
    }
}

extension Authentication<CountingScheme> {
    /// Makes one call as the pipeline does: authenticates it, sends it, and sends it again after each recovery.
    ///
    /// - Parameter server: The backend's error for a token, or `nil` if it accepts the token.
    /// - Returns: The accepted token, and the number of times that the call was sent again.
    func call(
        on clock: VirtualClock = VirtualClock(),
        _ server: @Sendable (String?) async throws -> APIError?
    ) async throws -> (token: String?, replays: Int) {
        let context = AuthenticationContext(clock: clock)
        var replays = 0
        while true {
            var request = HTTPRequest(method: .get, address: try HTTPAddress(parsing: "https://h/"))
            let pass = try await authenticateAfterWait(&request, context)
            let token = request.headers["X-Token"]
            guard let error = try await server(token) else { return (token, replays) }
            do {
                guard try await recover(from: error, pass, context) else { throw error }
            } catch {
                throw Unrecovered(error: error, replays: replays)
            }
            replays += 1
        }
    }

    /// Makes several calls at once. The backend answers only when all of them have been sent.
    func calls(
        _ count: Int,
        on clock: VirtualClock = VirtualClock(),
        _ server: @escaping @Sendable (String?) async throws -> APIError?
    ) async -> [Result<String, any Error>] {
        let arrived = Counter()
        return await withTaskGroup(of: Result<String, any Error>.self) { group in
            for _ in 0..<count {
                group.addTask {
                    do {
                        let (token, _) = try await self.call(on: clock) { token in
                            arrived.increment()
                            await arrived.reached(count)
                            return try await server(token)
                        }
                        return .success(token ?? "")
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}

/// The final error of a call, with the number of times that the call was sent again.
struct Unrecovered: Error {
    let error: any Error
    let replays: Int
}

extension Result where Failure == any Error {
    var apiError: APIError? {
        guard case .failure(let error) = self else { return nil }
        return (error as? Unrecovered)?.error as? APIError ?? error as? APIError
    }

    var replays: Int? {
        guard case .failure(let error) = self else { return nil }
        return (error as? Unrecovered)?.replays
    }
}
