import CatenaPlatform

/// The encodings that Catena decodes, by their labels in the WHATWG Encoding Standard (§4.2).
enum CharacterEncodings {
    /// Returns the encoding with a label in any case, or `nil` for UTF-8 and for an unknown label.
    static func encoding(_ label: String) -> String.Encoding? {
        byLabel[label.lowercased()]
    }

    private static let byLabel: [String: String.Encoding] = {
        var byLabel: [String: String.Encoding] = [:]
        for (encoding, labels) in table {
            for label in labels.split(separator: " ") { byLabel[String(label)] = encoding }
        }
        return byLabel
    }()

    /// Returns an encoding by its number in Core Foundation.
    private static func foundation(_ number: UInt) -> String.Encoding {
        String.Encoding(rawValue: 0x8000_0000 | number)
    }

    #if canImport(Darwin)
    private static let macintosh = String.Encoding.macOSRoman
    #else
    // Here, Foundation reads the other number of Mac OS Roman as a different encoding.
    private static let macintosh = foundation(0)
    #endif
    /// The encoding that also decodes Shift JIS.
    static let windows31J = foundation(0x0420)

    /// Following the standard, a superset is used instead of some encodings: windows-1252 for ISO-8859-1 and ASCII, GB18030 for GBK,
    /// windows-31J for Shift JIS, code page 949 for EUC-KR.
    private static let table: [(String.Encoding, labels: String)] = [
        (.utf16, "utf-16 utf16"),
        (.utf16LittleEndian, "utf-16le csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff"),
        (.utf16BigEndian, "utf-16be unicodefffe"),
        (.utf32, "utf-32 utf32"), (.utf32LittleEndian, "utf-32le"), (.utf32BigEndian, "utf-32be"),
        (
            .windowsCP1252,
            """
            ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 \
            latin1 us-ascii windows-1252 x-cp1252
            """
        ),
        (
            foundation(0x0632),
            "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk cp936 ms936 windows-936 gb18030"
        ),
        (foundation(0x0A03), "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
        (
            foundation(0x0422),
            "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 cp949"
        ),
        (windows31J, "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis cp932"),
        (.japaneseEUC, "cseucpkdfmtjapanese euc-jp x-euc-jp"),
        (.iso2022JP, "csiso2022jp iso-2022-jp"),
        (.isoLatin2, "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2"),
        (foundation(0x0203), "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3"),
        (foundation(0x0204), "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4"),
        (foundation(0x0205), "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988"),
        (
            foundation(0x0206),
            """
            arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 \
            iso88596 iso_8859-6 iso_8859-6:1987
            """
        ),
        (
            foundation(0x0207),
            """
            csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 \
            sun_eu_greek
            """
        ),
        (
            foundation(0x0208),
            """
            csiso88598e csiso88598i csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-8859-8-i iso-ir-138 iso8859-8 iso88598 iso_8859-8 \
            iso_8859-8:1988 logical visual
            """
        ),
        (foundation(0x020A), "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6"),
        (foundation(0x020D), "iso-8859-13 iso8859-13 iso885913"),
        (foundation(0x020E), "iso-8859-14 iso8859-14 iso885914"),
        (foundation(0x020F), "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9"),
        (foundation(0x0210), "iso-8859-16"),
        (foundation(0x041D), "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"),
        (.windowsCP1250, "cp1250 windows-1250 x-cp1250"),
        (.windowsCP1251, "cp1251 windows-1251 x-cp1251"),
        (.windowsCP1253, "cp1253 windows-1253 x-cp1253"),
        (
            .windowsCP1254,
            """
            cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254
            """
        ),
        (foundation(0x0505), "cp1255 windows-1255 x-cp1255"),
        (foundation(0x0506), "cp1256 windows-1256 x-cp1256"),
        (foundation(0x0507), "cp1257 windows-1257 x-cp1257"),
        (foundation(0x0508), "cp1258 windows-1258 x-cp1258"),
        (foundation(0x0A02), "cskoi8r koi koi8 koi8-r koi8_r"),
        (foundation(0x0A08), "koi8-ru koi8-u"),
        (foundation(0x041B), "866 cp866 csibm866 ibm866"),
        (macintosh, "csmacintosh mac macintosh x-mac-roman"),
        (foundation(0x0007), "x-mac-cyrillic x-mac-ukrainian"),
    ]
}
