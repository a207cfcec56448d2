package import CatenaPlatform

/// A body as one file. URLSession sends a file with its length, without loading it into memory and without waiting for it.
///
/// A whole file is used directly. Any other body is first written to a temporary file, which is removed on release.
package final class BodyFile: Sendable {
    package let url: URL
    package let onSent: (@Sendable (Int64, Int64?) -> Void)?
    private let isTemporary: Bool

    private init(_ url: URL, isTemporary: Bool, onSent: (@Sendable (Int64, Int64?) -> Void)?) {
        self.url = url
        self.isTemporary = isTemporary
        self.onSent = onSent
    }

    deinit {
        if isTemporary { try? LocalFile.remove(url.path) }
    }

    package static func make(of source: BodySource, notifying inactivity: InactivityWatch? = nil) async throws -> BodyFile {
        if source.parts.count == 1, case .file(let range) = source.parts[0], range.isWhole {
            try await BlockingWork.run {
                do throws(BodyFault) {
                    try range.checkLength()
                } catch {
                    throw APIError.requestBody(error.reason)
                }
            }
            return BodyFile(URL(fileURLWithPath: range.path), isTemporary: false, onSent: source.onSent)
        }
        let (descriptor, path) = try await BlockingWork.run { try temporaryFile() }
        let file = BodyFile(URL(fileURLWithPath: path), isTemporary: true, onSent: source.onSent)
        defer { _ = close(descriptor) }
        for try await piece in source {
            inactivity?.noteSent()
            try await BlockingWork.run { try write(piece, to: descriptor) }
        }
        return file
    }

    /// Returns the bytes of a small file, or `nil` if it has more than `limit`.
    package func contents(ofAtMost limit: Int) throws -> Data? {
        do throws(FileError) {
            guard let (data, _) = try LocalFile.read(url.path, .any, limit: limit) else {
                throw FileError(action: "read", path: url.path, code: ENOENT)
            }
            return data
        } catch {
            if error.code == EFBIG { return nil }
            throw APIError.requestBody("the file \"\(url.lastPathComponent)\" could not be opened")
        }
    }

    private static func temporaryFile() throws -> (Int32, String) {
        do throws(FileError) {
            return try LocalFile.createTemporary("catena-body")
        } catch {
            throw failed(error.code)
        }
    }

    private static func write(_ piece: Data, to descriptor: Int32) throws {
        if let code = piece.withUnsafeBytes({ writeAll($0, to: descriptor) }) { throw failed(code) }
    }

    private static func failed(_ code: Int32) -> APIError {
        .requestBody("it could not be written to a temporary file: \(String(cString: strerror(code)))")
    }
}
