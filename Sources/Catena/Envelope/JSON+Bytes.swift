import Foundation

extension JSON {
    /// The compact JSON text, in UTF-8.
    var encoded: Data {
        var bytes: [UInt8] = []
        write(into: &bytes)
        return Data(bytes)
    }

    /// The compact JSON text.
    var text: String {
        var text = ""
        write(to: &text)
        return text
    }
}
