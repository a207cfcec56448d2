import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Files that nobody but their owner can read, from the first byte on.
enum OwnerOnlyFile {
    /// Puts bytes in a file, all or none: they are written beside it and take its place in one step (rename(2)).
    ///
    /// - Parameter isDurable: Whether the bytes have to outlive a power failure.
    static func write(_ data: Data, to url: URL, isDurable: Bool) throws {
        let folder = url.deletingLastPathComponent()
        let temporary = folder.appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)\(temporaryEnding)").path
        // Never through a link that somebody else has put there, and never readable by others, whatever the umask.
        let descriptor = open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else { throw failure("create", temporary) }
        do {
            defer { close(descriptor) }
            guard fchmod(descriptor, mode_t(0o600)) == 0 else { throw failure("protect", temporary) }
            if let code = data.withUnsafeBytes({ writeAll($0, to: descriptor) }) {
                throw FileError(action: "write", path: temporary, code: code)
            }
            guard !isDurable || fsync(descriptor) == 0 else { throw failure("write", temporary) }
        } catch {
            unlink(temporary)
            throw error
        }
        guard rename(temporary, url.path) == 0 else {
            let error = failure("replace", url.path)
            unlink(temporary)
            throw error
        }
    }

    /// Makes a folder that nobody but its owner can enter; one that is there is closed to others.
    static func makeFolder(_ url: URL) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard chmod(url.path, mode_t(0o700)) == 0 else { throw failure("protect", url.path) }
    }

    /// How the names of files end that were not put in place yet; one that stays behind is rubbish.
    static let temporaryEnding = ".partial"

    private static func failure(_ action: String, _ path: String) -> FileError {
        FileError(action: action, path: path, code: errno)
    }
}

/// What went wrong with a file.
struct FileError: Error, Equatable, CustomStringConvertible {
    let action: String
    let path: String
    /// The system's number for the reason (errno).
    let code: Int32

    var description: String { "Cannot \(action) \(path): \(String(cString: strerror(code)))" }
}
