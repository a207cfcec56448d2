/// Compares values, and prints the differences.
@MainActor
final class Report {
    private(set) var isRight = true

    func check<Value: Equatable>(_ what: String, _ found: Value, _ wanted: Value) {
        if found == wanted { return }
        isRight = false
        print("\(what): \(found), not \(wanted)")
    }

    /// Runs the check of a program. The check fails if it throws.
    func run(_ program: String, _ check: (Report) async throws -> Void) async {
        do {
            try await check(self)
            print("\(program) ran")
        } catch {
            isRight = false
            print("\(program): \(error)")
        }
    }
}
