import Catena
import Foundation

/// The outputs of a command.
struct Terminal: Sendable {
    /// Writes a line of the result.
    let print: @Sendable (String) -> Void
    /// Writes text that is not part of the result, unchanged.
    let note: @Sendable (String) -> Void
    /// Whether a user sees the notes, so that showing progress makes sense.
    let isWatched: Bool

    static let standard = Terminal(
        print: { line in Swift.print(line) },
        note: { text in try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) },
        isWatched: isatty(STDERR_FILENO) == 1)
}
