import CatenaPlatform

/// Comparisons with a text that is known when the library is compiled, without a copy and without decoding.
extension UnsafeRawBufferPointer {
    func begins(with text: StaticString) -> Bool {
        guard let baseAddress, count >= text.utf8CodeUnitCount else { return false }
        return memcmp(baseAddress, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    func equals(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && begins(with: text)
    }
}
