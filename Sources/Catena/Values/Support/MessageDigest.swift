public import CatenaPlatform

/// The digest of a message, for signatures and checksums on every platform.
///
/// ```swift
/// MessageDigest.md5("a=1&key=secret").hex.uppercased()
/// MessageDigest.hmacSHA256(Data(text.utf8), key: Data(secret.utf8)).base64
/// ```
public struct MessageDigest: Sendable, Hashable {
    /// The bytes of the digest.
    public let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// The digest as lower-case hexadecimal digits.
    public var hex: String { Hexadecimal.text(bytes) }

    /// The digest in base64 with padding (RFC 4648 §4).
    public var base64: String { Data(bytes).base64EncodedString() }

    /// Returns the MD5 digest (RFC 1321), for backends that require it. MD5 is broken and protects nothing.
    public static func md5(_ message: Data) -> MessageDigest {
        var digest = MD5Digest()
        digest.update(message)
        return MessageDigest(bytes: digest.finish())
    }

    /// Returns the SHA-256 digest (FIPS 180-4).
    public static func sha256(_ message: Data) -> MessageDigest {
        MessageDigest(bytes: SHA256.digest(of: message))
    }

    /// Returns the HMAC with SHA-256 (RFC 2104, RFC 4231), which only the owner of the key can compute.
    public static func hmacSHA256(_ message: Data, key: Data) -> MessageDigest {
        let blockSize = 64
        var block = key.count > blockSize ? sha256(key).bytes : Array(key)
        block += repeatElement(0, count: blockSize - block.count)
        let inner = SHA256.digest(of: block.map { $0 ^ 0x36 } + message)
        return MessageDigest(bytes: SHA256.digest(of: block.map { $0 ^ 0x5C } + inner))
    }

    /// Returns the MD5 digest of a text in UTF-8.
    public static func md5(_ text: String) -> MessageDigest { md5(Data(text.utf8)) }

    /// Returns the SHA-256 digest of a text in UTF-8.
    public static func sha256(_ text: String) -> MessageDigest { sha256(Data(text.utf8)) }
}

/// Splits a message into the 64-byte blocks of MD5 and SHA-256, and pads the last one (RFC 1321 §3.1, FIPS 180-4 §5.1.1).
struct BlockInput<State> {
    enum LengthOrder {
        case littleEndian, bigEndian
    }

    private static var blockSize: Int { 64 }

    /// Processes one or more contiguous blocks.
    private let process: (inout State, UnsafeRawBufferPointer) -> Void
    private let lengthOrder: LengthOrder
    private(set) var state: State
    /// The bytes of an incomplete block.
    private var pending: [UInt8] = []
    private var length: UInt64 = 0

    init(_ state: State, lengthOrder: LengthOrder, _ process: @escaping (inout State, UnsafeRawBufferPointer) -> Void) {
        self.state = state
        self.lengthOrder = lengthOrder
        self.process = process
        pending.reserveCapacity(Self.blockSize)
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(bytes.count)
        var rest = bytes[...]
        if !pending.isEmpty {
            let missing = rest.prefix(Self.blockSize - pending.count)
            pending.append(contentsOf: missing)
            rest = rest.dropFirst(missing.count)
            guard pending.count == Self.blockSize else { return }
            pending.withUnsafeBytes { process(&state, $0) }
            pending.removeAll(keepingCapacity: true)
        }
        let whole = rest.count / Self.blockSize * Self.blockSize
        if whole > 0 { process(&state, UnsafeRawBufferPointer(rebasing: rest.prefix(whole))) }
        pending.append(contentsOf: rest.dropFirst(whole))
    }

    /// Appends the padding: a one bit, zeros, and the length in bits.
    mutating func finish() {
        let bits = length &* 8
        var padding: [UInt8] = []
        padding.reserveCapacity(2 * Self.blockSize)
        padding.append(0x80)
        let used = (pending.count + 1) % Self.blockSize
        padding += repeatElement(0, count: (used <= 56 ? 56 : 120) - used)
        withUnsafeBytes(of: lengthOrder == .bigEndian ? bits.bigEndian : bits.littleEndian) { padding += $0 }
        padding.withUnsafeBytes { update($0) }
    }
}

extension Collection<UInt8> {
    /// Calls `body` with the bytes as one contiguous buffer.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) } ?? Array(self).withUnsafeBytes(body)
    }
}

/// Encodes bytes as lower-case hexadecimal digits.
package enum Hexadecimal {
    /// Returns the digit of a number below 16.
    @inline(__always)
    static func digit(_ number: UInt8) -> UInt8 { number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "a") + number - 10 }

    package static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }
}

#if canImport(CryptoKit)
/// Computes the MD5 digest of a message in pieces (RFC 1321). Only for backends that require it, because MD5 protects nothing.
struct MD5Digest {
    private var hash = CryptoKit.Insecure.MD5()

    mutating func update(_ bytes: some Collection<UInt8>) {
        bytes.withBytes { hash.update(bufferPointer: $0) }
    }

    /// Returns the digest of all bytes so far, 16 bytes.
    consuming func finish() -> [UInt8] {
        Array(hash.finalize())
    }
}
#else
/// Computes the MD5 digest of a message in pieces (RFC 1321). Only for backends that require it, because MD5 protects nothing.
struct MD5Digest {
    private typealias Words = (UInt32, UInt32, UInt32, UInt32)

    private var input = BlockInput<Words>(
        (0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476), lengthOrder: .littleEndian
    ) { words, blocks in
        for start in stride(from: 0, to: blocks.count, by: 64) { compress(&words, blocks, start) }
    }

    mutating func update(_ bytes: some Collection<UInt8>) {
        bytes.withBytes { input.update($0) }
    }

    /// Returns the digest of all bytes so far, 16 bytes.
    consuming func finish() -> [UInt8] {
        input.finish()
        let words = input.state
        return [words.0, words.1, words.2, words.3].flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
    }

    private static func compress(_ words: inout Words, _ blocks: UnsafeRawBufferPointer, _ start: Int) {
        var (a, b, c, d) = words
        for index in 0..<64 {
            let (mix, place): (UInt32, Int)
            switch index >> 4 {
            case 0: (mix, place) = ((b & c) | (~b & d), index)
            case 1: (mix, place) = ((d & b) | (~d & c), (5 * index + 1) & 15)
            case 2: (mix, place) = (b ^ c ^ d, (3 * index + 5) & 15)
            default: (mix, place) = (c ^ (b | ~d), (7 * index) & 15)
            }
            let word = UInt32(littleEndian: blocks.loadUnaligned(fromByteOffset: start + place * 4, as: UInt32.self))
            let sum = a &+ mix &+ constants[index] &+ word
            let count = rotations[(index >> 4) << 2 | index & 3]
            (a, d, c, b) = (d, c, b, b &+ (sum << count | sum >> (32 - count)))
        }
        words = (words.0 &+ a, words.1 &+ b, words.2 &+ c, words.3 &+ d)
    }

    private static let rotations: [UInt32] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]

    /// The integer parts of 2³² · |sin(i)| for i from 1 to 64.
    private static let constants: [UInt32] = [
        0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
        0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
        0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
        0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
        0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
        0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
        0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
        0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
    ]
}
#endif

#if canImport(CryptoKit)
import CryptoKit

/// Computes the SHA-256 digest of bytes in pieces (FIPS 180-4).
struct SHA256 {
    private var hash = CryptoKit.SHA256()

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        hash.update(bufferPointer: bytes)
    }

    /// Returns the digest, 32 bytes.
    consuming func finish() -> [UInt8] {
        Array(hash.finalize())
    }
}
#else
/// Computes the SHA-256 digest of bytes in pieces (FIPS 180-4).
struct SHA256 {
    private struct Words {
        /// The initial hash value (FIPS 180-4 §5.3.3).
        var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        /// The message schedule, stored so that it is not allocated for every block.
        var schedule = [UInt32](repeating: 0, count: 64)
    }

    private var input = BlockInput(Words(), lengthOrder: .bigEndian) { process($1, &$0.state, &$0.schedule) }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        input.update(bytes)
    }

    /// Returns the digest, 32 bytes.
    consuming func finish() -> [UInt8] {
        input.finish()
        var digest: [UInt8] = []
        digest.reserveCapacity(32)
        for word in input.state.state {
            withUnsafeBytes(of: word.bigEndian) { digest.append(contentsOf: $0) }
        }
        return digest
    }

    /// Processes whole blocks (FIPS 180-4 §6.2.2).
    private static func process(_ blocks: UnsafeRawBufferPointer, _ state: inout [UInt32], _ schedule: inout [UInt32]) {
        state.withUnsafeMutableBufferPointer { state in
            schedule.withUnsafeMutableBufferPointer { schedule in
                constants.withUnsafeBufferPointer { constants in
                    for start in stride(from: 0, to: blocks.count, by: 64) {
                        for index in 0..<16 {
                            schedule[index] = UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: start + index * 4, as: UInt32.self))
                        }
                        extend(schedule)
                        compress(state, schedule, constants)
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func extend(_ schedule: UnsafeMutableBufferPointer<UInt32>) {
        for index in 16..<64 {
            let (early, late) = (schedule[index - 15], schedule[index - 2])
            let small0 = rotated(early, 7) ^ rotated(early, 18) ^ (early >> 3)
            let small1 = rotated(late, 17) ^ rotated(late, 19) ^ (late >> 10)
            schedule[index] = schedule[index - 16] &+ small0 &+ schedule[index - 7] &+ small1
        }
    }

    @inline(__always)
    private static func compress(
        _ state: UnsafeMutableBufferPointer<UInt32>,
        _ schedule: UnsafeMutableBufferPointer<UInt32>,
        _ constants: UnsafeBufferPointer<UInt32>
    ) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let big1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
            let first = h &+ big1 &+ ((e & f) ^ (~e & g)) &+ constants[index] &+ schedule[index]
            let big0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
            let second = big0 &+ ((a & b) ^ (a & c) ^ (b & c))
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    @inline(__always)
    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        (word >> count) | (word << (32 - count))
    }

    /// The constants of FIPS 180-4 §4.2.2.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
#endif

extension SHA256 {
    /// Returns the digest of bytes in memory.
    static func digest(of bytes: some Sequence<UInt8>) -> [UInt8] {
        var hash = SHA256()
        let bytes = Array(bytes)
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.finish()
    }
}
