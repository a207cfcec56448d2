import Dispatch
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
#error("The C library of this platform is not known.")
#endif

/// Reads a range of a file piece by piece, on threads that may block.
struct FileReader {
    private let range: FileRange
    private var file: OpenFile?
    private var position: Int64 = 0
    private var isOver = false

    init(_ range: FileRange) {
        self.range = range
    }

    mutating func next() async throws -> Data? {
        guard !isOver else { return nil }
        let count = Int(min(Int64(BodySource.pieceSize), range.length - position))
        isOver = position + Int64(count) == range.length
        let (opened, piece) = try await BlockingWork.run { [range, file, position, isOver] in
            do throws(BodyFault) {
                let file = if let file { file } else { try OpenFile(range) }
                let piece = try file.read(count, at: range.offset + position)
                // Check the file before the last piece is sent, because the server has a complete body afterwards. A range is not checked: other
                // parts of the file may change.
                if isOver, range.isWhole { try file.checkUnchanged() }
                return (file, piece)
            } catch {
                throw APIError.requestBody(error.reason)
            }
        }
        file = isOver ? nil : opened
        position += Int64(count)
        return piece
    }
}

/// Runs system calls that may wait for a disk, outside of Swift's thread pool, whose threads must not block.
enum BlockingWork {
    private static let queue = DispatchQueue(label: "catena.files", attributes: .concurrent)

    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withUnsafeThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }
}

/// A file that stays open for reading until it is released.
private final class OpenFile: Sendable {
    private let descriptor: Int32
    private let name: String
    private let status: FileStatus

    init(_ range: FileRange) throws(BodyFault) {
        name = range.name
        // If a pipe has replaced the file, opening it must not block.
        descriptor = open(range.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system("cannot be read", range.name) }
        do throws(BodyFault) {
            status = try FileStatus(descriptor: descriptor, name: range.name)
        } catch {
            _ = close(descriptor)
            throw error
        }
        if range.isWhole, status.size != range.length { throw hasChanged }
    }

    deinit {
        _ = close(descriptor)
    }

    func read(_ count: Int, at offset: Int64) throws(BodyFault) -> Data {
        guard count > 0 else { return Data() }
        guard let bytes = malloc(count) else { throw BodyFault(reason: "there is no memory for reading \"\(name)\"") }
        do throws(BodyFault) {
            try fill(bytes, count, at: offset)
        } catch {
            free(bytes)
            throw error
        }
        // Create the `Data` after reading, because it copies a small piece immediately and frees `bytes`.
        return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }

    private func fill(_ bytes: UnsafeMutableRawPointer, _ count: Int, at offset: Int64) throws(BodyFault) {
        var filled = 0
        while filled < count {
            let result = pread(descriptor, bytes + filled, count - filled, off_t(offset) + off_t(filled))
            if result < 0, errno == EINTR { continue }
            guard result >= 0 else { throw .system("cannot be read", name) }
            guard result > 0 else { throw hasChanged }
            filled += result
        }
    }

    func checkUnchanged() throws(BodyFault) {
        guard try FileStatus(descriptor: descriptor, name: name) == status else { throw hasChanged }
    }

    private var hasChanged: BodyFault { FileRange.hasChanged(name) }
}
