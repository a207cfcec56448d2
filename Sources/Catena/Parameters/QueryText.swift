/// The query that is being written: pairs in one buffer that grows.
///
/// Room is made for a whole text at once, so that writing one of its bytes checks nothing.
struct QueryText: ParameterSink, ~Copyable {
    private let encoding: PercentEncoding
    private var bytes: UnsafeMutableBufferPointer<UInt8>
    private var count = 0

    init(style: ParameterStyle, expecting pairs: Int) {
        encoding = PercentEncoding(style)
        bytes = .allocate(capacity: 64 + pairs * 32)
    }

    deinit {
        bytes.deallocate()
    }

    var text: String { String(decoding: bytes[..<count], as: UTF8.self) }

    mutating func begin(_ name: String) {
        name.withBytes { begin($0) }
    }

    mutating func begin(_ name: [UInt8]) {
        name.withUnsafeBufferPointer { begin($0) }
    }

    mutating func append(_ text: String) {
        text.withBytes { bytes in
            makeRoom(for: bytes.count * PercentEncoding.expansion)
            write(bytes)
        }
    }

    mutating func append(_ value: Int64) {
        makeRoom(for: 20)
        if value < 0 { write(UInt8(ascii: "-")) }
        let start = count
        var rest = value.magnitude
        repeat {
            write(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start..<count].reverse()
    }

    mutating func appendSeparator() {
        makeRoom(for: 1)
        write(UInt8(ascii: ","))
    }

    private mutating func begin(_ name: UnsafeBufferPointer<UInt8>) {
        makeRoom(for: name.count * PercentEncoding.expansion + 2)
        if count > 0 { write(UInt8(ascii: "&")) }
        write(name)
        write(UInt8(ascii: "="))
    }

    private mutating func write(_ text: UnsafeBufferPointer<UInt8>) {
        count += encoding.write(text, to: UnsafeMutableBufferPointer(rebasing: bytes[count...]))
    }

    private mutating func write(_ byte: UInt8) {
        bytes[count] = byte
        count += 1
    }

    private mutating func makeRoom(for size: Int) {
        guard bytes.count - count < size else { return }
        let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(2 * bytes.count, count + size))
        _ = larger.update(fromContentsOf: bytes[..<count])
        bytes.deallocate()
        bytes = larger
    }
}

extension String {
    /// Gives the UTF-8 bytes, without a copy where the text has them in one piece.
    fileprivate func withBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        let isDone: Void? = utf8.withContiguousStorageIfAvailable(body)
        if isDone == nil { Array(utf8).withUnsafeBufferPointer(body) }
    }
}
