import Catena
import Foundation

/// One check of a server.
struct Row: Sendable {
    let name: String
    /// A path and options with which curl(1) sends the request of the row; empty if it cannot.
    let witness: [String]
    let run: @Sendable (Site) async throws -> Void

    init(_ name: String, _ witness: String..., run: @escaping @Sendable (Site) async throws -> Void) {
        self.name = name
        self.witness = witness
        self.run = run
    }
}

/// A result that is not the expected one.
struct Difference: Error, CustomStringConvertible {
    let description: String
}

func expect<Value: Equatable>(_ subject: String, _ found: Value, _ expected: Value) throws {
    if found != expected { throw Difference(description: "\(subject): \(found), not \(expected)") }
}

/// Runs a call several times. Throws the number of the calls that failed, with the first failure.
func repeated(_ count: Int, _ call: (Int) async throws -> Void) async throws {
    var failures: [String] = []
    for number in 0..<count {
        do {
            try await call(number)
        } catch {
            failures.append(describe(error))
        }
    }
    guard let first = failures.first else { return }
    throw Difference(description: "\(failures.count) of \(count): \(first)")
}

/// Expects a call to fail. Returns its error.
func failure(of call: () async throws -> Void) async throws -> APIError {
    do {
        try await call()
    } catch let error as APIError {
        return error
    }
    throw Difference(description: "a success")
}

func describe(_ error: any Error) -> String {
    guard let error = error as? APIError else { return "\(error)" }
    let cause = error.underlying.map { " (\($0))" } ?? ""
    return "\(error.kind), status \(error.status ?? 0): \(error.message)\(cause)"
}
