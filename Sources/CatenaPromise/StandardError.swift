import Foundation

/// Standard error, to which Catena writes logs and reports that no handler of the app receives.
package enum StandardError {
    /// Writes a line. A failed write is ignored, because it can be reported nowhere.
    package static func write(line: String) {
        // `write(_:)` would end the process if the write fails.
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
