import CatenaPlatform

/// Standard error, to which Catena writes logs and reports that no handler of the app receives.
package enum StandardError {
    /// Writes a line. A failed write is ignored, because it can be reported nowhere.
    package static func write(line: String) {
        var line = line + "\n"
        line.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let start = rest.baseAddress, !rest.isEmpty {
                let count = CatenaPlatform.write(STDERR_FILENO, start, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
        }
    }
}
