import Catena
import CatenaTesting
import TestSupport
import Testing

/// A mistake that only a run shows, and the words by which the caller finds it.
struct RunTimeMistake: Sendable, CustomTestStringConvertible {
    let name: String
    /// The kind of the error, or `nil` if the call succeeds and a diagnostic reports the mistake.
    let kind: APIError.Kind?
    /// The texts that error, explanation and diagnostics must contain.
    let words: [String]
    let run: @Sendable (MistakeBench) async throws -> Void

    init(
        _ name: String, _ kind: APIError.Kind?, _ words: String..., run: @escaping @Sendable (MistakeBench) async throws -> Void
    ) {
        self.name = name
        self.kind = kind
        self.words = words
        self.run = run
    }

    var testDescription: String { name }
}

/// A client whose diagnostics are recorded.
struct MistakeBench: Sendable {
    struct Body: Decodable, Sendable { let id: Int }

    let stubs = Stubs()
    let client: Client
    private let diagnostics = Recorder<DiagnosticEvent>()

    init() {
        client = Client(testing: stubs)
        client.onDiagnostic { [diagnostics] in diagnostics.note($0) }
    }

    /// Returns the error of a run, and all that it tells.
    func hear(_ mistake: RunTimeMistake) async -> (error: APIError?, text: String) {
        var error: APIError?
        do {
            try await mistake.run(self)
        } catch let thrown as APIError {
            error = thrown
        } catch let thrown {
            return (nil, "\(thrown)\n" + reports)
        }
        return (error, [error?.description, error?.explanation, reports].compactMap { $0 }.joined(separator: "\n"))
    }

    private var reports: String { diagnostics.events.map(\.message).joined(separator: "\n") }
}
