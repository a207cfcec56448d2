import Catena
import CatenaPlatform

/// A private RSA key in the form of PKCS #1 (RFC 8017 §A.1.2), read from the text of a PEM file. Parsed in Swift, so that errors are the same on
/// every platform.
struct RSAPrivateKey: Sendable, Equatable {
    /// The reason why a text is no such key. It contains nothing of the text.
    struct Fault: Error, Equatable {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// An `RSAPrivateKey` in DER.
    let bytes: [UInt8]

    /// Reads a private key.
    ///
    /// - Parameter text: A key of PKCS #8 or PKCS #1 as PEM (RFC 7468), or its base 64 alone, as Alipay's tools write it.
    init(pem text: String) throws(Fault) {
        let block = try Self.block(in: text)
        switch block.label {
        case "", "PRIVATE KEY", "RSA PRIVATE KEY": break
        case "ENCRYPTED PRIVATE KEY": throw Self.encrypted
        case "PUBLIC KEY", "RSA PUBLIC KEY", "CERTIFICATE": throw Fault("it is public (\(block.label)), and only the private one signs")
        case "EC PRIVATE KEY", "DSA PRIVATE KEY", "OPENSSH PRIVATE KEY":
            throw Fault("it is a key of another kind (\(block.label)) than RSA")
        default: throw Fault("there is no block PRIVATE KEY or RSA PRIVATE KEY in its text")
        }
        // Header lines before the base 64 (RFC 1421 §4.6) show that the key is encrypted.
        guard block.label.isEmpty || !block.body.contains(":") else { throw Self.encrypted }
        guard let data = Data(base64Encoded: block.body.filter { !$0.isWhitespace }), !data.isEmpty else {
            throw Fault("it is neither PEM nor base 64")
        }
        bytes = try Self.unwrapped(Array(data))
    }

    private static let encrypted = Fault("it is encrypted; openssl pkcs8 -in key.pem -out plain.pem writes it without its password")

    /// Returns the first block with a private key, or else the first block, or else the whole text without a label.
    private static func block(in text: String) throws(Fault) -> (label: String, body: Substring) {
        var first: (label: String, body: Substring)?
        var rest = text[...]
        while let begin = rest.firstRange(of: "-----BEGIN ") {
            rest = rest[begin.upperBound...]
            guard let labelEnd = rest.firstRange(of: "-----") else { break }
            let label = String(rest[..<labelEnd.lowerBound])
            rest = rest[labelEnd.upperBound...]
            guard let end = rest.firstRange(of: "-----END \(label)-----") else { throw Fault("its text ends before the line END") }
            let block = (label, rest[..<end.lowerBound])
            if label.hasSuffix("PRIVATE KEY") { return block }
            first = first ?? block
            rest = rest[end.upperBound...]
        }
        return first ?? ("", text[...])
    }

    /// Returns the forms in which a text may repeat a key: its text, and its base64 and hexadecimal bytes. Lines of base64 are found in any
    /// layout of 64 characters, which PEM has (RFC 7468 §2), and in the key's own.
    ///
    /// A text that is no key may be one that this version cannot read. So its lines are secret, too.
    static func secretValues(of text: String) -> [String] {
        let body = (try? block(in: text))?.body ?? text[...]
        var values = [text] + body.split(whereSeparator: \.isWhitespace).map(String.init)
        var numbers = [Data(base64Encoded: body.filter { !$0.isWhitespace })]
        if let key = try? RSAPrivateKey(pem: text) {
            numbers.append(Data(key.bytes))
            values.append(Hexadecimal.text(key.bytes))
        }
        for case let bytes? in numbers {
            values.append(bytes.base64EncodedString())
            values += bytes.base64EncodedString(options: .lineLength64Characters).split(whereSeparator: \.isWhitespace).map(String.init)
        }
        return Array(Set(values))
    }

    /// Extracts a key from PKCS #8 (RFC 5208 §5), and checks its form.
    private static func unwrapped(_ bytes: [UInt8], mayBeWrapped: Bool = true) throws(Fault) -> [UInt8] {
        var document = DERReader(bytes[...])
        guard var members = document.read(.sequence).map(DERReader.init), document.isAtEnd, members.read(.integer) != nil
        else { throw noKey }
        guard var algorithm = members.read(.sequence).map(DERReader.init) else {
            // The numbers are the version, the modulus, two exponents, two primes and three derived numbers.
            for _ in 0..<8 where members.read(.integer) == nil { throw noKey }
            guard members.isAtEnd else { throw noKey }
            return bytes
        }
        guard mayBeWrapped else { throw noKey }
        guard algorithm.read(.objectIdentifier).map({ Array($0) }) == rsaEncryption else {
            throw Fault("it is a key of another kind than RSA")
        }
        guard let key = members.read(.octets) else { throw noKey }
        return try unwrapped(Array(key), mayBeWrapped: false)
    }

    private static let noKey = Fault("what it says is no private RSA key of PKCS #8 or PKCS #1")

    /// The object identifier 1.2.840.113549.1.1.1 (RFC 8017 §A.1).
    private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
}

/// Reads successive DER values (X.690 §8.1, §10.1).
private struct DERReader {
    enum Tag: UInt8 {
        case integer = 0x02
        case octets = 0x04
        case objectIdentifier = 0x06
        case sequence = 0x30
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// Returns the content of the next value. Returns `nil` and reads nothing if the value has another tag or is truncated.
    mutating func read(_ tag: Tag) -> ArraySlice<UInt8>? {
        var bytes = rest
        guard bytes.popFirst() == tag.rawValue, let first = bytes.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            // Three bytes are enough for the length of any key.
            let digits = bytes.prefix(Int(first & 0x7F))
            guard (1...3).contains(digits.count), digits.count == Int(first & 0x7F) else { return nil }
            length = digits.reduce(0) { $0 << 8 | Int($1) }
            bytes = bytes.dropFirst(digits.count)
        }
        guard bytes.count >= length else { return nil }
        rest = bytes.dropFirst(length)
        return bytes.prefix(length)
    }
}
