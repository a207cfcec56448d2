import CatenaPlatform

/// A growing buffer of JSON text, which checks its room once for each value in place of once for each byte.
///
/// Only this file of the encoder uses pointers. They stay inside the buffer for these reasons:
/// - `end <= capacity` always holds, where `capacity` bytes are allocated and `end` bytes are written.
/// - A method calls ``reserve(_:)`` with the largest number of bytes that it stores, before it stores the first. `put` stores eight bytes at most, and
///   an escape takes at most six bytes for each byte of the text.
/// - A method reads eight bytes of a source only where eight bytes are left, and fewer otherwise.
/// - No pointer leaves its method. The struct cannot be copied, so that nothing else frees the buffer.
struct EncodedText: ~Copyable {
    private var start: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var end = 0
    /// The character that is escaped besides the required ones: the slash, or else the quotation mark again.
    private let slash: UInt8

    init(escapesSlashes: Bool) {
        capacity = 512
        start = .allocate(byteCount: capacity, alignment: 16)
        slash = UInt8(ascii: escapesSlashes ? "/" : "\"")
    }

    deinit {
        start.deallocate()
    }

    /// Returns the whole text.
    func taken() -> Data { Data(bytes: start, count: end) }

    /// Returns the string whose quotation mark is at an offset, without its escapes.
    func string(at offset: Int) -> String {
        let bytes = [UInt8](UnsafeRawBufferPointer(start: start, count: end)[min(offset + 1, end)...])
        var length = 0
        while length < bytes.count, bytes[length] != UInt8(ascii: "\"") { length += bytes[length] == UInt8(ascii: "\\") ? 2 : 1 }
        return String(decoding: JSONText.unescaped(bytes[..<min(length, bytes.count)]), as: UTF8.self)
    }

    /// Makes room for a number of bytes.
    @inline(__always)
    private mutating func reserve(_ count: Int) {
        if capacity - end < count { grow(count) }
    }

    @inline(never)
    private mutating func grow(_ count: Int) {
        let larger = max(capacity * 2, end + count)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        moved.copyMemory(from: start, byteCount: end)
        start.deallocate()
        start = moved
        capacity = larger
    }

    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        start.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
        end &+= 1
    }

    /// Writes eight bytes, of which a number belongs to the text. Room for eight is needed.
    @inline(__always)
    private mutating func put(_ word: UInt64, _ count: Int) {
        start.storeBytes(of: word.littleEndian, toByteOffset: end, as: UInt64.self)
        end &+= count
    }

    // MARK: Structure

    @inline(__always)
    mutating func write(_ byte: UInt8) {
        reserve(1)
        put(byte)
    }

    @inline(__always)
    mutating func write(_ bool: Bool) {
        reserve(8)
        if bool { put(0x65_7572_74, 4) } else { put(0x65_736c_6166, 5) }
    }

    @inline(__always)
    mutating func writeNull() {
        reserve(8)
        put(0x6c_6c75_6e, 4)
    }

    // MARK: Strings

    @inline(__always)
    mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { write($0) }
    }

    private mutating func write(_ text: UnsafeBufferPointer<UInt8>) {
        write(UInt8(ascii: "\""))
        writeContent(text)
        write(UInt8(ascii: "\""))
    }

    /// Writes the key of a member with its colon, and returns its fingerprint. Equal keys have the same one, and others hardly ever do.
    ///
    /// Returns `nil` for a key that may be equal to one of other bytes.
    @inline(__always)
    mutating func write(key: String, afterComma isLater: Bool) -> UInt64? {
        var key = key
        let fingerprint = key.withUTF8 { write(key: $0, afterComma: isLater) }
        if fingerprint & 1 == 0 { return fingerprint }
        return Self.isUnique(key) ? fingerprint : nil
    }

    /// Bit 0 of the result is set if the key is not ASCII.
    private mutating func write(key: UnsafeBufferPointer<UInt8>, afterComma isLater: Bool) -> UInt64 {
        reserve(2)
        if isLater { put(UInt8(ascii: ",")) }
        put(UInt8(ascii: "\""))
        writeContent(key)
        reserve(8)
        put(0x3a22, 2)
        return Self.fingerprint(key)
    }

    private static func fingerprint(_ key: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let count = key.count
        let source = UnsafeRawPointer(key.baseAddress)
        guard let source else { return 0 }
        var all: UInt64
        var hash: UInt64
        if count < 8 {
            all = word(source, count)
            hash = (all ^ UInt64(count) << 56) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
        } else {
            hash = UInt64(count)
            all = 0
            var index = 0
            while index < count {
                let word = source.loadUnaligned(fromByteOffset: min(index, count &- 8), as: UInt64.self)
                all |= word
                hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
                hash ^= hash >> 32
                index &+= 8
            }
        }
        return hash & ~1 | (all & 0x8080_8080_8080_8080 == 0 ? 0 : 1)
    }

    /// Whether only the same bytes are equal to a string. The listed characters are neither composed nor decomposed by Unicode among themselves.
    private static func isUnique(_ key: String) -> Bool {
        key.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0..<0x300, 0x400..<0x483, 0x3041..<0x3097, 0x30A1..<0x30FB, 0x3400..<0x4DC0, 0x4E00..<0xA000, 0xAC00..<0xD7A4: true
            default: false
            }
        }
    }

    /// Returns up to seven bytes in a word, the first byte lowest.
    @inline(__always)
    private static func word(_ source: UnsafeRawPointer, _ count: Int) -> UInt64 {
        if count >= 4 {
            let low = UInt64(UInt32(littleEndian: source.loadUnaligned(as: UInt32.self)))
            let high = UInt64(UInt32(littleEndian: source.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)))
            return low | high << (UInt64(truncatingIfNeeded: count &- 4) &* 8)
        }
        guard count > 0 else { return 0 }
        let first = UInt64(source.load(as: UInt8.self))
        let middle = UInt64(source.load(fromByteOffset: count / 2, as: UInt8.self))
        let last = UInt64(source.load(fromByteOffset: count &- 1, as: UInt8.self))
        return first | middle << (UInt64(truncatingIfNeeded: count / 2) &* 8) | last << (UInt64(truncatingIfNeeded: count &- 1) &* 8)
    }

    /// Whether a byte of a word is to be escaped: a control character, a quotation mark, a backslash or a slash.
    @inline(__always)
    private static func hasSpecial(_ word: UInt64, _ slashes: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ 0x2222_2222_2222_2222
        let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
        let slashes = word ^ slashes
        let low = (word &- 0x2020_2020_2020_2020) & ~word
        let found = low | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes) | ((slashes &- ones) & ~slashes)
        return found & 0x8080_8080_8080_8080 != 0
    }

    @inline(__always)
    private mutating func writeContent(_ text: UnsafeBufferPointer<UInt8>) {
        guard let source = UnsafeRawPointer(text.baseAddress) else { return }
        let count = text.count
        let slashes = UInt64(slash) &* 0x0101_0101_0101_0101
        if count < 8 {
            reserve(48)
            let word = Self.word(source, count)
            // Fill the bytes behind the text with spaces, which are not special.
            if !Self.hasSpecial(word | 0x2020_2020_2020_2020 << (UInt64(truncatingIfNeeded: count) &* 8), slashes) {
                put(word, count)
            } else {
                escape(word, count)
            }
            return
        }
        writeLong(source, count, slashes)
    }

    private mutating func writeLong(_ source: UnsafeRawPointer, _ count: Int, _ slashes: UInt64) {
        reserve(count &+ 48)
        var index = 0
        while index &+ 8 <= count {
            let word = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            if !Self.hasSpecial(word, slashes) {
                put(word, 8)
            } else {
                escape(word, 8)
                reserve(count &- index &+ 48)
            }
            index &+= 8
        }
        let rest = count &- index
        guard rest > 0 else { return }
        let word =
            UInt64(littleEndian: source.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
            >> (UInt64(truncatingIfNeeded: 8 &- rest) &* 8)
        if !Self.hasSpecial(word | 0x2020_2020_2020_2020 << (UInt64(truncatingIfNeeded: rest) &* 8), slashes) {
            put(word, rest)
        } else {
            escape(word, rest)
        }
    }

    /// Writes up to eight bytes of a text, some of which are escaped. Room for 48 bytes is needed.
    private mutating func escape(_ word: UInt64, _ count: Int) {
        var word = word
        for _ in 0..<count {
            let byte = UInt8(truncatingIfNeeded: word)
            word >>= 8
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), slash: putEscaped(byte)
            case 0x20...: put(byte)
            case 0x08: putEscaped(UInt8(ascii: "b"))
            case 0x09: putEscaped(UInt8(ascii: "t"))
            case 0x0A: putEscaped(UInt8(ascii: "n"))
            case 0x0C: putEscaped(UInt8(ascii: "f"))
            case 0x0D: putEscaped(UInt8(ascii: "r"))
            default:
                putEscaped(UInt8(ascii: "u"))
                put(UInt8(ascii: "0"))
                put(UInt8(ascii: "0"))
                put(UInt8(ascii: "0") &+ byte >> 4)
                let low = byte & 15
                put(low < 10 ? UInt8(ascii: "0") &+ low : UInt8(ascii: "a") &- 10 &+ low)
            }
        }
    }

    @inline(__always)
    private mutating func putEscaped(_ byte: UInt8) {
        put(UInt8(ascii: "\\"))
        put(byte)
    }

    // MARK: Numbers

    @inline(__always)
    mutating func write(_ value: Int64) {
        if value < 0 { write(UInt8(ascii: "-")) }
        write(value.magnitude)
    }

    mutating func write(_ value: UInt64) {
        reserve(24)
        var value = value
        let count = Self.digits(of: value)
        var place = end &+ count
        end = place
        while value >= 10 {
            let (rest, last) = value.quotientAndRemainder(dividingBy: 100)
            value = rest
            let tens = last / 10
            place &-= 2
            start.storeBytes(
                of: (0x3030 &+ UInt16(truncatingIfNeeded: tens | (last &- tens &* 10) << 8)).littleEndian, toByteOffset: place,
                as: UInt16.self)
        }
        if place > end &- count {
            start.storeBytes(of: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value), toByteOffset: place &- 1, as: UInt8.self)
        }
    }

    private static func digits(of value: UInt64) -> Int {
        var count = 1
        var value = value
        while value >= 10_000 {
            value /= 10_000
            count &+= 4
        }
        return count &+ (value >= 1000 ? 3 : value >= 100 ? 2 : value >= 10 ? 1 : 0)
    }

    /// Writes a text that needs no escapes and is no string, such as that of a number.
    mutating func write(plain text: String, without suffix: StaticString = "") {
        var text = text
        text.withUTF8 { bytes in
            guard let source = bytes.baseAddress else { return }
            var count = bytes.count
            if suffix.utf8CodeUnitCount == 2, count > 2, bytes[count - 1] == suffix.utf8Start[1], bytes[count - 2] == suffix.utf8Start[0] {
                count -= 2
            }
            reserve(count)
            (start + end).copyMemory(from: source, byteCount: count)
            end += count
        }
    }

    /// Writes a finite number as its shortest decimal text.
    mutating func write(_ value: Float) {
        write(plain: value.description, without: ".0")
    }

    /// Writes a finite number as its shortest decimal text.
    mutating func write(_ value: Double) {
        let magnitude = value.magnitude
        if magnitude < 1e15, magnitude >= 1e-4 {
            let whole = Int64(magnitude)
            if Double(whole) == magnitude {
                if value < 0 { write(UInt8(ascii: "-")) }
                return write(UInt64(whole))
            }
            if writeShort(value, magnitude) { return }
        } else if magnitude == 0 {
            if value.sign == .minus { write(UInt8(ascii: "-")) }
            return write(UInt8(ascii: "0"))
        }
        write(plain: value.description, without: ".0")
    }

    /// Writes a number with at most 15 significant digits. Returns `false` if it has more.
    ///
    /// Two decimals of at most 15 digits are never the same `Double`. A decimal of so few digits that is read as the number is therefore the shortest.
    /// It is read as the quotient of two integers that a `Double` holds exactly, rounded once, and so a division finds out whether it is the number.
    private mutating func writeShort(_ value: Double, _ magnitude: Double) -> Bool {
        var places = Self.places(magnitude)
        let scaled = (magnitude * Self.powers[places]).rounded()
        guard scaled / Self.powers[places] == magnitude else { return false }
        var digits = UInt64(scaled)
        if digits % 100_000_000 == 0, places >= 8 { digits /= 100_000_000; places &-= 8 }
        if digits % 10_000 == 0, places >= 4 { digits /= 10_000; places &-= 4 }
        if digits % 100 == 0, places >= 2 { digits /= 100; places &-= 2 }
        if digits % 10 == 0, places >= 1 { digits /= 10; places &-= 1 }
        if value < 0 { write(UInt8(ascii: "-")) }
        // Write the digits with a place for the point, and fill in leading zeros.
        let unit = Self.units[places]
        let (whole, fraction) = digits.quotientAndRemainder(dividingBy: unit)
        write(whole)
        // The digit 1 in front of the fraction becomes the point.
        let point = end
        write(fraction &+ unit)
        start.storeBytes(of: UInt8(ascii: "."), toByteOffset: point, as: UInt8.self)
        return true
    }

    /// Returns the largest number of decimal places, up to 18, with which a number from 1e-4 to 1e15 has at most 15 digits.
    @inline(__always)
    private static func places(_ magnitude: Double) -> Int {
        // The logarithm of 2 to the base 10 is about 1233 / 4096.
        let places = max(0, min(18, 14 &- (Int(magnitude.exponent) &* 1233) >> 12))
        return magnitude * powers[places] < 1e15 ? places : max(0, places &- 1)
    }

    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    ]
    private static let units: [UInt64] = (0...18).map { places in (0..<places).reduce(1) { power, _ in power * 10 } }
}
