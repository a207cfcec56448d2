import Foundation
import FoundationOfApple
import TestSupport
import Testing

@testable import Catena

@Suite("Challenges and metrics of a URLSession", .limitedParallelism) struct SessionTests {
    private final class Sender: NSObject, URLAuthenticationChallengeSender, Sendable {
        func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
        func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
        func cancel(_ challenge: URLAuthenticationChallenge) {}
        func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
        func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
    }

    /// Returns the delegate's disposition of a challenge.
    private func disposition(
        _ method: String, _ handler: URLSessionTransport.ChallengeHandler? = nil
    ) async throws -> URLSession.AuthChallengeDisposition {
        let space = URLProtectionSpace(host: "example.com", port: 443, protocol: "https", realm: nil, authenticationMethod: method)
        let challenge = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil, sender: Sender())
        let url = try #require(URL(string: "https://example.com"))
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        return await withCheckedContinuation { continuation in
            SessionDelegate(challenge: handler).urlSession(session, task: session.dataTask(with: url), didReceive: challenge) {
                decision, _ in
                continuation.resume(returning: decision)
            }
        }
    }

    @Test("the handler or the system checks the certificate, and a sign-in challenge is rejected so that the 401 arrives")
    func challenges() async throws {
        let handler: URLSessionTransport.ChallengeHandler = { _ in (.cancelAuthenticationChallenge, nil) }
        #expect(try await disposition(NSURLAuthenticationMethodServerTrust) == .performDefaultHandling)
        #expect(try await disposition(NSURLAuthenticationMethodServerTrust, handler) == .cancelAuthenticationChallenge)
        #expect(try await disposition(NSURLAuthenticationMethodClientCertificate, handler) == .cancelAuthenticationChallenge)
        #expect(try await disposition(NSURLAuthenticationMethodClientCertificate) == .rejectProtectionSpace)
        #expect(try await disposition(NSURLAuthenticationMethodHTTPBasic, handler) == .rejectProtectionSpace)
    }

    @Test("the timings of a new connection separate connecting and TLS")
    func newConnection() {
        let at = { Date(timeIntervalSince1970: $0) }
        var metrics = AppleTaskTransactionMetrics()
        (metrics.fetchStartDate, metrics.domainLookupStartDate, metrics.domainLookupEndDate) = (at(0), at(1), at(3))
        (metrics.connectStartDate, metrics.secureConnectionStartDate) = (at(3), at(4))
        (metrics.secureConnectionEndDate, metrics.connectEndDate) = (at(9), at(9))
        (metrics.requestStartDate, metrics.responseStartDate, metrics.responseEndDate) = (at(9), at(16), at(24))
        let timings = CallTimings(metrics)
        #expect(timings.queue == .seconds(1))
        #expect(timings.dns == .seconds(2))
        #expect(timings.connect == .seconds(1))
        #expect(timings.tls == .seconds(5))
        #expect(timings.firstByte == .seconds(7))
        #expect(timings.transfer == .seconds(8))
    }

    @Test("a reused connection has no timings for DNS, connecting and TLS, and no timing is negative")
    func reusedConnection() {
        var metrics = AppleTaskTransactionMetrics()
        metrics.fetchStartDate = Date(timeIntervalSince1970: 0)
        metrics.requestStartDate = Date(timeIntervalSince1970: 2)
        metrics.responseStartDate = Date(timeIntervalSince1970: 1)
        let timings = CallTimings(metrics)
        #expect(timings.queue == .seconds(2))
        #expect(timings.dns == nil && timings.connect == nil && timings.tls == nil && timings.transfer == nil)
        #expect(timings.firstByte == .zero)
    }
}
