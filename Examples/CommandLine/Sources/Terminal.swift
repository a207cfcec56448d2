import Catena
import Foundation

/// Where a command writes.
struct Terminal: Sendable {
    /// Writes a line of the result.
    let print: @Sendable (String) -> Void
    /// Writes what is not part of the result, as it is.
    let note: @Sendable (String) -> Void
    /// Whether somebody watches the notes, so that progress is worth showing.
    let isWatched: Bool

    static let standard = Terminal(
        print: { line in Swift.print(line) },
        note: { text in try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) },
        isWatched: isatty(STDERR_FILENO) == 1)
}
