import Catena
import Testing

@Suite("UTF-8", .limitedParallelism) struct UTF8TextTests {
    @Test("decoding and the check for valid UTF-8 agree for every lead byte and edge of continuation bytes")
    func edges() {
        each(UInt8(0x80)...0xFF) { lead in
            let edges: [UInt8] = [0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
            for second in edges {
                for third in edges {
                    for fourth in edges {
                        for bytes in [[lead], [lead, second], [lead, second, third], [lead, second, third, fourth]] {
                            #expect(bytes.isUTF8 == (String(wholeUTF8: bytes) != nil), "\(bytes)")
                        }
                    }
                }
            }
        }
    }

    @Test(
        "valid UTF-8 decodes to its text, invalid UTF-8 to nil",
        arguments: [
            ([], ""), (Array("a\u{E9}\u{20AC}\u{1F600}".utf8), "a\u{E9}\u{20AC}\u{1F600}"), ([0xEF, 0xBB, 0xBF, 0x61], "\u{FEFF}a"),
            ([0x61, 0xC3], nil), ([0xC0, 0x80], nil), ([0xED, 0xA0, 0x80], nil), ([0xF4, 0x90, 0x80, 0x80], nil),
        ] as [([UInt8], String?)])
    func text(bytes: [UInt8], text: String?) {
        #expect(String(wholeUTF8: bytes) == text)
        #expect(bytes.isUTF8 == (text != nil))
    }
}
