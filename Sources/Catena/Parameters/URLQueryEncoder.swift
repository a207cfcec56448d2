/// Writes parameters as the query of an address or as the body of an `application/x-www-form-urlencoded` form, byte for byte alike.
enum URLQueryEncoder {
    /// The encoded text, without a question mark; empty when there is nothing to send.
    static func encode(_ params: Params, style: ParameterStyle) throws(ParameterError) -> String {
        var flattening = ParameterFlattening(into: QueryText(style: style, expecting: params.count), style: style)
        try flattening.flatten(params)
        return String(decoding: flattening.sink.bytes, as: UTF8.self)
    }
}

private struct QueryText: ParameterSink {
    private(set) var bytes: [UInt8] = []
    private let encoding: PercentEncoding

    init(style: ParameterStyle, expecting count: Int) {
        encoding = style.spaces == .plus ? .queryWithPlus : .query
        bytes.reserveCapacity(count * 24)
    }

    mutating func begin(_ name: [UInt8]) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        encoding.append(name, to: &bytes)
        bytes.append(UInt8(ascii: "="))
    }

    mutating func append(_ text: String) {
        encoding.append(text.utf8, to: &bytes)
    }

    mutating func appendSeparator() {
        bytes.append(UInt8(ascii: ","))
    }
}
