import Foundation

/// Looks at the bytes of a property list before Foundation does, which follows every reference and nests as deeply as it is told: a list that
/// contains itself never ends, a few hundred bytes unfold to more than any memory holds, and deep ones overflow the stack.
enum PropertyListCheck {
    /// Why a property list is not read.
    struct Refusal: LocalizedError, Equatable {
        let reason: String

        var errorDescription: String? { "the property list \(reason)" }
    }

    /// How deeply arrays and dictionaries may be nested.
    static let depthLimit = 128
    /// How many objects a binary list may unfold to when each is counted as often as it is referred to, at least; a longer list may have as
    /// many as it has bytes, for each reference takes one.
    static let objectAllowance = 100_000
    /// In bytes: how much text and data a binary list may unfold to, counted likewise, at least; a longer list may have ``expansion`` times
    /// its own length, since writers store equal texts once.
    static let contentAllowance = 4 * 1024 * 1024
    static let expansion = 32

    /// Throws a ``Refusal`` unless the bytes are a property list, in XML or binary, that can be read in bounded time and memory.
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
