import Testing

@testable import Catena

@Suite("Error matchers", .limitedParallelism)
struct ErrorMatcherTests {
    private static let soldOut = 20001
    private static let gone = "E01"

    static let rows: [(matcher: ErrorMatcher, error: APIError, matches: Bool)] = [
        (.code(10086), APIError(.business, code: 10086), true),
        (.code(1, 10086), APIError(.business, code: 10086), true),
        (.code(10086), APIError(.business, code: "10086"), true),
        (.code("10086"), APIError(.business, code: 10086), true),
        (.code("E01"), APIError(.business, code: "E01"), true),
        (.code("E01"), APIError(.business, code: "E02"), false),
        (.code(1), APIError(.business, code: "1x"), false),
        (.code(404), APIError(.status, status: 404), true),
        (.code(), APIError(.business, code: 1), false),
        (.code(soldOut), APIError(.business, code: 20001), true), (.code(soldOut), APIError(.business, code: 7), false),
        (.code(gone), APIError(.business, code: "E01"), true), (.code(soldOut, 7), APIError(.business, code: 7), true),
        (.codes([10086, "E01"]), APIError(.business, code: "E01"), true),
        (.codes([10086, "E01"]), APIError(.business, code: "10086"), true),
        (.codes(Set(["E01"])), APIError(.business, code: 10086), false),
        (.codes([]), APIError(.business, code: 1), false),
        (.codes(40000...40099), APIError(.business, code: 40001), true),
        (.codes(40000...40099), APIError(.business, code: "40099"), true),
        (.codes(40000..<40099), APIError(.business, code: 40099), false),
        (.codes(..<0), APIError(.business, code: -5), true),
        (.codes(0...), APIError(.business, code: "E01"), false),
        (.status(400..<500), APIError(.status, status: 404), true),
        (.status(400..<500), APIError(.status, status: 500), false),
        (.status(500...), APIError(.status, code: 7, status: 503), true),
        (.status(500...), APIError(.business, code: 503), false),
        (.status(500...599), APIError(.offline), false),
        (.validation, APIError(.status, code: 9, status: 422), true),
        (.validation, APIError(.status, status: 400), false),
        (.status(404, 410), APIError(.status, status: 410), true),
        (.status(404), APIError(.status, code: 5, status: 404), true),
        (.status(404), APIError(.business, code: 404), false),
        (.status(404), APIError(.offline), false),
        (.kind(.dns, .tls), APIError(.tls), true),
        (.kind(.dns), APIError(.tls), false),
        (.unauthorized, APIError(.status, code: 40001, status: 401), true),
        (.unauthorized, APIError(.status, status: 403), false),
        (.unauthorized, APIError(.excessiveRefresh), true),
        (.unauthorized, APIError(.missingCredential), false),
        (.notFound, APIError(.status, status: 404), true),
        (.timeout, APIError(.timeout), true),
        (.timeout, APIError(.connect), false),
        (.offline, APIError(.offline), true),
        (.offline, APIError(.dns), false),
        (.offline, APIError(.connect), false),
        (.offline, APIError(.connectionLost), false),
        (.unreachable, APIError(.offline), true),
        (.unreachable, APIError(.dns), true),
        (.unreachable, APIError(.connect), true),
        (.unreachable, APIError(.connectionLost), false),
        (.where { $0.attempts == 0 }, APIError(.tls), true),
        (.where { $0.attempts == 1 }, APIError(.tls), false),
        (.any, APIError(.other), true),
        // Cancellation is not a failure.
        (.cancelled, APIError(.cancelled), true),
        (.kind(.tls, .cancelled), APIError(.cancelled), true),
        (.cancelled, APIError(.tls), false),
        (.any, APIError(.cancelled), false),
        (.code(-999), APIError(.cancelled), false),
        (.where { _ in true }, APIError(.cancelled), false),
    ]

    @Test("a matcher matches the errors that it names and no others")
    static func matchesRows() {
        each(rows.indices) { Self().matches(row: $0) }
    }

    func matches(row: Int) {
        let (matcher, error, matches) = Self.rows[row]
        #expect(matcher.matches(error) == matches)
        #expect(error.matches(matcher) == matches)
        #expect((matcher ~= error as any Error) == matches)
    }

    /// Returns the name of the catch clause that catches an error.
    private func clause(for error: any Error) -> String {
        do {
            throw error
        } catch .notFound {
            return "notFound"
        } catch .code(10086, "E01"), .status(500...) {
            return "code or status"
        } catch .cancelled {
            return "cancelled"
        } catch let error as APIError where error.matches(.unreachable) {
            return "unreachable"
        } catch {
            switch error {
            case .kind(.other): return "other"
            default: return "default"
            }
        }
    }

    private struct ForumError: Error {}

    @Test(
        "catch clauses of do statements take the same matchers as chains",
        arguments: [
            (APIError(.status, status: 404), "notFound"), (APIError(.business, code: "E01"), "code or status"),
            (APIError(.status, status: 503), "code or status"), (APIError(.dns), "unreachable"), (APIError(.tls), "default"),
            (CancellationError(), "cancelled"), (APIError(.cancelled), "cancelled"), (ForumError(), "other"),
            (PromiseError.timedOut, "default"),
        ] as [(any Error, String)])
    func clauses(error: any Error, expected: String) {
        #expect(clause(for: error) == expected)
    }

    /// An error whose type has members with the names of matchers, as types of other libraries do.
    private struct Foreign: Error, Equatable {
        let number: Int
        static let cancelled = Foreign(number: 1)
        static let notFound = Foreign(number: 2)
    }

    @Test("a pattern prefers the members of the error's own type to matchers of the same name")
    func ownNames() {
        func name(of error: Foreign) -> String {
            switch error {
            case .cancelled: "cancelled"
            case .notFound: "not found"
            default: "another"
            }
        }
        #expect([1, 2, 3].map { name(of: Foreign(number: $0)) } == ["cancelled", "not found", "another"])
    }
}
