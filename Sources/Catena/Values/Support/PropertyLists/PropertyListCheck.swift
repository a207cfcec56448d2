import CatenaPlatform

/// Checks the bytes of a property list before Foundation parses them, because Foundation follows every reference and any nesting. A list
/// that contains itself never ends, a few hundred bytes can expand beyond all memory, and deep nesting overflows the stack.
package enum PropertyListCheck {
    /// The reason why a property list is rejected.
    package struct Refusal: LocalizedError, Equatable {
        package let reason: String

        package var errorDescription: String? { "the property list \(reason)" }
    }

    /// The maximum depth of nested arrays and dictionaries.
    static let depthLimit = 128
    /// The number of objects to which any binary list may expand, counting every reference. A longer list may have as many objects as
    /// bytes, because each reference takes at least one byte.
    static let objectAllowance = 100_000
    /// The number of bytes of text and data to which any binary list may expand, counting every reference. A longer list may have
    /// ``expansion`` times its own length, because equal texts are stored once.
    static let contentAllowance = 4 * 1024 * 1024
    static let expansion = 32

    /// Throws a ``Refusal`` unless the bytes are an XML or binary property list that can be read in bounded time and memory.
    static func check(_ data: Data) throws(Refusal) {
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(Refusal) in
                if bytes.starts(with: "bplist".utf8) {
                    var list = try BinaryPropertyList(bytes)
                    try list.check()
                } else {
                    var list = XMLPropertyList(bytes)
                    try list.check()
                }
            }
        }
        try result.get()
    }
}
