import CatenaTesting
import Foundation
import Testing

@testable import Catena

/// Initializers and operators that callers would try first.
@Suite("Usual spellings", .limitedParallelism)
struct UsualSpellingTests {
    private let stubs = Stubs()

    @Test("params can be made from an untyped dictionary, even in the common closures")
    func dictionaries() async throws {
        let dictionary: [String: Any] = ["b": 1, "a": ["x", 2] as [Any], "n": NSNull()]
        #expect(try Params(dictionary: dictionary) == ["a": JSON(array: ["x", 2]), "b": 1, "n": .null])
        let client = Client(testing: stubs)
        client.commonParams { _ in try Params(dictionary: ["v": 1]) }
        #expect(try await client.get("/a").preview().sentLine == "GET https://stubs.test/a?v=1")
    }

    @Test("the error for a value that cannot be a param has its key path")
    func unfit() async throws {
        let dictionary: [String: Any] = ["a": [["b": NSObject()]]]
        let error = #expect(throws: APIError.self) { try Params(dictionary: dictionary) }
        #expect(error?.kind == .invalidRequest && error?.message.contains("a[0].b") == true)
        let client = Client(testing: stubs)
        client.commonParams { _ in try Params(dictionary: ["v": NSObject()]) }
        let failed = await #expect(throws: APIError.self) { try await client.get("/a").preview() }
        #expect(failed?.message.contains("\"v\"") == true)
    }

    @Test("a JSON value can be made from any value that can be a param, and from bytes")
    func json() throws {
        let (name, number, tags, missing) = ("Ann", 7, ["a", "b"], String?.none)
        #expect(JSON(name) == "Ann" && JSON(number) == 7 && JSON(tags) == ["a", "b"] && JSON(true) == true)
        #expect(JSON(["name": name, "missing": missing]) == ["name": "Ann"])
        #expect(try JSON(data: Data(#"{"a":1}"#.utf8)) == ["a": 1])
        #expect(throws: JSONSyntaxError.self) { try JSON(data: Data("{".utf8)) }
    }

    @Test("an error code can be made from a text or a number in a variable")
    func codes() {
        let (text, number) = ("E01", 401)
        let codes: [ErrorCode] = ["E01", 401, "401"]
        #expect(codes.map { $0 == ErrorCode(text) } == [true, false, false])
        #expect(codes.map { $0 == ErrorCode(number) } == [false, true, false])
        let (present, missing): (ErrorCode?, ErrorCode?) = ("E01", nil)
        #expect(present == ErrorCode(text) && missing != ErrorCode(text) && missing != ErrorCode(number))
        #expect(codes[1] == 401 && present == "E01" && missing == nil)
    }

    @Test("a method can be made from its raw value")
    func methods() {
        let methods = ["get", "Purge"].map { HTTPMethod(rawValue: $0) }
        #expect(methods == [.get, "Purge"] && methods.map(\.rawValue) == ["GET", "Purge"])
    }

    @Test("a circuit breaker policy takes its settings as arguments with their defaults")
    func breaker() {
        var policy = CircuitBreakerPolicy()
        let same = CircuitBreakerPolicy(
            failureShare: 0.5, minimumCalls: 10, window: .seconds(30), pause: .seconds(5), longestPause: .seconds(60))
        #expect(policy == same)
        policy.minimumCalls = 5
        #expect(CircuitBreakerPolicy(minimumCalls: 5) == policy)
    }
}
