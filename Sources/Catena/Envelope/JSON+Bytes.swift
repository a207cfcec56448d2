public import Foundation

extension JSON {
    /// Reads a JSON text, strictly by RFC 8259. Of a key that comes twice, the first stays.
    ///
    /// ```swift
    /// let settings = try JSON(parsing: Data(contentsOf: file))
    /// ```
    ///
    /// - Parameter text: UTF-8, with or without a byte order mark.
    /// - Throws: What is wrong with the text, with line and column.
    public init(parsing text: Data) throws(JSONSyntaxError) {
        try self.init(text, in: nil)
    }

    /// The compact JSON text with everything in it, in UTF-8.
    package var encoded: Data { Data(bytes) }

    /// The compact JSON text with everything in it.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    private var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }
}
