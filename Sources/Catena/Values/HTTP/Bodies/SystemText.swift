#if canImport(FoundationEssentials)
import CatenaPlatform

/// Converts text with `iconv` of the C library, which has the encodings that Foundation's essentials lack.
enum SystemText {
    /// Returns the text of the bytes, or `nil` if any of them is invalid or the system does not have the encoding.
    static func decode(_ bytes: Data, _ encoding: String) -> String? {
        guard let converter = iconv_open("UTF-8", encoding), Int(bitPattern: converter) != -1 else { return nil }
        defer { iconv_close(converter) }
        var input = Array(bytes).map { CChar(bitPattern: $0) }
        // No character of these encodings takes more bytes in UTF-8 than three for each of its own, and a last call ends a shift state.
        let room = 3 * input.count + 16
        var isWhole = false
        let text = String(unsafeUninitializedCapacity: room) { output in
            input.withUnsafeMutableBufferPointer { input in
                var (source, sourceLeft) = (input.baseAddress, input.count)
                var (target, targetLeft) = (UnsafeMutableRawPointer(output.baseAddress)?.assumingMemoryBound(to: CChar.self), room)
                isWhole =
                    iconv(converter, &source, &sourceLeft, &target, &targetLeft) != .max && sourceLeft == 0
                    && iconv(converter, nil, nil, &target, &targetLeft) != .max
                return isWhole ? room - targetLeft : 0
            }
        }
        return isWhole ? text : nil
    }
}

extension CharacterEncodings {
    /// Returns the name that `iconv` has for an encoding, or `nil` for those of Unicode.
    static func systemName(_ encoding: String.Encoding) -> String? { systemNames[encoding] }

    private static let systemNames: [String.Encoding: String] = {
        let labels = """
            windows-1252 gb18030 big5 euc-kr shift_jis iso-2022-jp iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 \
            iso-8859-8 iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 windows-874 windows-1250 windows-1251 windows-1253 \
            windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 koi8-r koi8-u ibm866 macintosh x-mac-cyrillic
            """
        let others = [
            "big5": "big5-hkscs", "euc-kr": "cp949", "shift_jis": "cp932", "windows-874": "cp874", "x-mac-cyrillic": "mac-cyrillic",
        ]
        var names: [String.Encoding: String] = [:]
        for label in labels.split(separator: " ").map(String.init) {
            if let encoding = encoding(label) { names[encoding] = others[label] ?? label }
        }
        return names
    }()
}
#endif
