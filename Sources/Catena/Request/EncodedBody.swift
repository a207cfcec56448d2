import Foundation

/// A body in the form in which it is sent: bytes, or where they come from.
struct EncodedBody {
    private(set) var data: Data?
    private(set) var source: BodySource?
    let contentType: String

    init(_ data: Data, _ contentType: String) {
        self.data = data
        self.contentType = contentType
    }

    /// What needs no reading is sent as bytes.
    init(_ source: BodySource, _ contentType: String) {
        self.contentType = contentType
        switch source.parts.first {
        case .data(let bytes) where source.parts.count == 1: data = bytes
        case .file(let range) where source.parts.count == 1 && range.length == 0: data = Data()
        case nil: data = Data()
        default: self.source = source
        }
    }
}
