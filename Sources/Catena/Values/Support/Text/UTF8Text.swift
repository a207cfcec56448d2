extension String {
    /// Decodes UTF-8. Returns `nil` if any byte is not valid UTF-8.
    package init?(wholeUTF8 bytes: some Collection<UInt8>) {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            guard bytes.isUTF8 else { return nil }
            self.init(decoding: bytes, as: UTF8.self)
        }
    }
}

extension Sequence<UInt8> {
    /// Whether the bytes are valid UTF-8, for systems without the validating initializer of `String`.
    package var isUTF8: Bool {
        var parser = Unicode.UTF8.ForwardParser()
        var bytes = makeIterator()
        while true {
            switch parser.parseScalar(from: &bytes) {
            case .valid: continue
            case .emptyInput: return true
            case .error: return false
            }
        }
    }
}
