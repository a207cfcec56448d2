import CatenaPlatform

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

/// A file that stays open for reading until it is released.
private final class OpenFile: Sendable {
    private let file: LocalFile.Opened
    private let name: String

    init(_ range: FileRange) throws(BodyFault) {
        name = range.name
        file = try FileRange.open(range.path, range.name)
        if range.isWhole, file.status.size != range.length { throw hasChanged }
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
            let result = pread(file.descriptor, bytes + filled, count - filled, off_t(offset) + off_t(filled))
            if result < 0, errno == EINTR { continue }
            guard result >= 0 else { throw .system("cannot be read", name) }
            guard result > 0 else { throw hasChanged }
            filled += result
        }
    }

    func checkUnchanged() throws(BodyFault) {
        guard let status = try? LocalFile.status(of: file.descriptor, name), status.size == file.status.size,
            status.change == file.status.change
        else { throw hasChanged }
    }

    private var hasChanged: BodyFault { FileRange.hasChanged(name) }
}
