#if os(Linux) && canImport(Glibc)
import CCurl

/// The header lines of a request as libcurl takes them: a linked list of C strings, in one block of memory.
///
/// libcurl only reads the list (CURLOPT_HTTPHEADER), while the handle has it. The handle releases it before the list is freed.
///
/// The proof for the pointers: ``init(_:extra:accepting:)`` counts all bytes before it allocates them. Nodes come first, so that they are
/// aligned like the memory. Each node points to its zero-terminated line and to the next node; the last one points to none.
struct HeaderList {
    private let memory: UnsafeMutableRawPointer

    /// The first node.
    var first: UnsafeRawPointer { UnsafeRawPointer(memory) }

    /// - Parameter extra: Complete lines. Together with the fields there must be at least one line.
    init(_ fields: [HTTPHeaders.Field], extra: [StaticString], accepting codings: String?) {
        var count = fields.count + extra.count
        var size = extra.reduce(0) { $0 + $1.utf8CodeUnitCount + 1 }
        for field in fields { size += field.name.utf8.count + field.value.utf8.count + 3 }
        if let codings {
            count += 1
            size += Self.acceptEncoding.utf8CodeUnitCount + codings.utf8.count + 1
        }
        let stride = MemoryLayout<CurlListNode>.stride
        memory = .allocate(byteCount: count * stride + size, alignment: MemoryLayout<CurlListNode>.alignment)
        var writer = Writer(node: memory, text: memory + count * stride, left: count)
        for field in fields {
            writer.beginLine()
            writer.add(field.name)
            // "Name:" would remove a header; "Name;" sends it empty.
            writer.add(field.value.isEmpty ? ";" : ": ")
            writer.add(field.value)
            writer.endLine()
        }
        for line in extra {
            writer.beginLine()
            writer.add(line)
            writer.endLine()
        }
        if let codings {
            writer.beginLine()
            writer.add(Self.acceptEncoding)
            writer.add(codings)
            writer.endLine()
        }
    }

    /// Makes a list of one line.
    init(line: String) {
        let stride = MemoryLayout<CurlListNode>.stride
        memory = .allocate(byteCount: stride + line.utf8.count + 1, alignment: MemoryLayout<CurlListNode>.alignment)
        var writer = Writer(node: memory, text: memory + stride, left: 1)
        writer.beginLine()
        writer.add(line)
        writer.endLine()
    }

    func free() { memory.deallocate() }

    private static let acceptEncoding: StaticString = "Accept-Encoding: "

    private struct Writer {
        var node: UnsafeMutableRawPointer
        var text: UnsafeMutableRawPointer
        var left: Int

        mutating func beginLine() {
            left -= 1
            let next = left > 0 ? node + MemoryLayout<CurlListNode>.stride : nil
            node.storeBytes(of: text, toByteOffset: 0, as: UnsafeMutableRawPointer.self)
            node.storeBytes(of: next, toByteOffset: MemoryLayout<UnsafeRawPointer>.stride, as: UnsafeMutableRawPointer?.self)
            if let next { node = next }
        }

        mutating func add(_ part: borrowing String) {
            // On Linux every string is contiguous UTF-8, although the standard library does not promise this. `withUTF8` requires a mutable
            // copy.
            if part.utf8.withContiguousStorageIfAvailable({ add(UnsafeRawBufferPointer($0)) }) != nil { return }
            var copied = copy part
            copied.withUTF8 { add(UnsafeRawBufferPointer($0)) }
        }

        mutating func add(_ part: StaticString) {
            add(UnsafeRawBufferPointer(start: part.utf8Start, count: part.utf8CodeUnitCount))
        }

        private mutating func add(_ bytes: UnsafeRawBufferPointer) {
            guard let start = bytes.baseAddress else { return }
            text.copyMemory(from: start, byteCount: bytes.count)
            text += bytes.count
        }

        mutating func endLine() {
            text.storeBytes(of: 0, as: UInt8.self)
            text += 1
        }
    }
}
#endif
