#if os(Linux) && canImport(Glibc)
import CCurl

/// The header lines of a request as libcurl takes them: a linked list of C strings, in one piece of memory.
///
/// libcurl only reads the list (CURLOPT_HTTPHEADER), for as long as the handle has it, which ends before this does.
///
/// The proof for the pointers: ``init(_:extra:accepting:)`` counts the bytes that it is about to write before it asks for them. Nodes come first, so that
/// they are aligned as the memory is; each node points to its line, which ends with a zero, and to the node behind it, the last one to nothing.
struct HeaderList {
    private let memory: UnsafeMutableRawPointer

    /// Where libcurl begins to read.
    var first: UnsafeRawPointer { UnsafeRawPointer(memory) }

    /// - Parameter extra: Whole lines. With the fields there is at least one.
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

    /// A list of one line.
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
            // On Linux every string is one piece of UTF-8, which the standard library does not promise. `withUTF8` wants a copy of its own.
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
