/// Writes parameters as the query of an address or as an `application/x-www-form-urlencoded` body, with identical bytes.
package enum URLQueryEncoder {
    /// Returns the encoded text without a question mark, or an empty text if there is nothing to send.
    package static func encode(_ params: Params, style: ParameterStyle) throws(ParameterError) -> String {
        var flattening = ParameterFlattening(into: QueryText(style: style, expecting: params.count))
        try flattening.flatten(params, style)
        return flattening.sink.text
    }
}

/// One flattened parameter before encoding, for a multipart body.
struct ParameterField: Sendable, Equatable {
    let name: String
    fileprivate(set) var value: String

    /// Flattens parameters to the names and texts that ``URLQueryEncoder`` uses.
    static func fields(of params: Params, style: ParameterStyle) throws(ParameterError) -> [ParameterField] {
        var flattening = ParameterFlattening(into: FieldList())
        try flattening.flatten(params, style)
        return flattening.sink.fields
    }
}

private struct FieldList: ParameterSink {
    private(set) var fields: [ParameterField] = []

    mutating func begin(_ name: String) {
        fields.append(ParameterField(name: name, value: ""))
    }

    mutating func begin(_ name: [UInt8]) {
        fields.append(ParameterField(name: String(decoding: name, as: UTF8.self), value: ""))
    }

    mutating func append(_ text: String) {
        fields[fields.count - 1].value += text
    }

    mutating func append(_ value: Int64) {
        append(String(value))
    }

    mutating func appendSeparator() {
        append(",")
    }
}

/// A query under construction: pairs in one growing buffer.
///
/// Reserves room for a whole text at once, so that writing a byte needs no check.
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
    /// Passes the UTF-8 bytes to `body`, without a copy if they are contiguous.
    fileprivate func withBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        let isDone: Void? = utf8.withContiguousStorageIfAvailable(body)
        if isDone == nil { Array(utf8).withUnsafeBufferPointer(body) }
    }
}

extension PercentEncoding {
    /// Creates the encoding of a query's or form's keys and values by the style.
    init(_ style: ParameterStyle) {
        self = (style.slashes == .literal ? PercentEncoding.query : .segment).writingSpaces(asPlus: style.spaces == .plus)
    }
}
