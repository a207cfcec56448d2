#if !canImport(Darwin)
import CatenaPlatform

/// Converts text to UTF-8 with `iconv` of the C library, which has the encodings that Foundation's essentials lack.
///
/// The proof for the unsafe code: `iconv` reads at most `left` bytes from `source` and writes at most `room` bytes, both within buffers that live
/// for the whole call. The converter is closed once, because the type cannot be copied.
struct SystemText: ~Copyable {
    private let converter: iconv_t

    /// Returns `nil` if the system does not have the encoding.
    init?(_ encoding: String) {
        guard let converter = iconv_open("UTF-8", encoding), Int(bitPattern: converter) != -1 else { return nil }
        self.converter = converter
    }

    deinit { iconv_close(converter) }

    /// Appends the text of the bytes, up to the first invalid one. Returns the number of bytes that it has used.
    func convert(_ bytes: UnsafeRawBufferPointer, into text: inout Data) -> Int {
        guard let start = bytes.baseAddress else { return 0 }
        var source: UnsafeMutablePointer<CChar>? = UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: CChar.self))
        var left = bytes.count
        iconv(converter, nil, nil, nil, nil)
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
            var code = E2BIG
            while code == E2BIG {
                var (target, room) = (buffer.baseAddress, buffer.count)
                code = iconv(converter, &source, &left, &target, &room) == .max ? errno : 0
                // Some encodings keep a letter until the next byte shows whether an accent follows.
                if code != E2BIG { iconv(converter, nil, nil, &target, &room) }
                text.append(contentsOf: UnsafeRawBufferPointer(buffer).prefix(buffer.count - room))
            }
        }
        return bytes.count - left
    }
}

extension CharacterEncodings {
    /// Returns the name that `iconv` has for an encoding, or `nil` for those of Unicode. The second name is that of an encoding with more
    /// characters, some of which differ.
    static func systemNames(_ encoding: String.Encoding) -> (name: String, extended: String?)? { systemNames[encoding] }

    private static let systemNames: [String.Encoding: (name: String, extended: String?)] = {
        let labels = """
            windows-1252 gb18030 big5 euc-kr shift_jis iso-2022-jp iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 \
            iso-8859-8 iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 windows-874 windows-1250 windows-1251 windows-1253 \
            windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 koi8-r koi8-u ibm866 macintosh x-mac-cyrillic
            """
        let others = ["euc-kr": "cp949", "shift_jis": "cp932", "windows-874": "cp874", "x-mac-cyrillic": "mac-cyrillic"]
        var names: [String.Encoding: (String, String?)] = [:]
        for label in labels.split(separator: " ").map(String.init) {
            if let encoding = encoding(label) {
                names[encoding] = (others[label] ?? label, ["big5": "big5-hkscs", "gb18030": "gbk"][label])
            }
        }
        return names
    }()
}
#endif
