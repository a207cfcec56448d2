/// A path in JSON, in which `*` matches any key and any index: `data.users[*].email`.
struct HiddenPath: Sendable {
    private let steps: [Substring]

    init(_ text: String) throws {
        let dotted = text.replacing("[", with: ".").replacing("]", with: "")
        steps = dotted.split(separator: ".", omittingEmptySubsequences: false).dropFirst(text.hasPrefix("[") ? 1 : 0).map { $0 }
        guard steps.allSatisfy({ !$0.isEmpty }) else {
            throw RecordingError(description: "hiddenPaths: \"\(text)\" is not a path: a key is empty.")
        }
    }

    /// Whether a value is at this place or below it.
    func covers(_ path: [String]) -> Bool {
        path.count >= steps.count && zip(steps, path).allSatisfy { $0 == "*" || $0 == $1 }
    }
}
