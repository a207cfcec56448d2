/// One flattened parameter before any encoding, as a multipart body needs it.
struct ParameterField: Sendable, Equatable {
    let name: String
    fileprivate(set) var value: String

    /// Flattens parameters with the same names and texts as ``URLQueryEncoder``.
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
