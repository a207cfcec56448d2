/// Finds secrets in the path of an address.
enum PathSecrets {
    /// Returns whether a path may contain a secret, so that most paths need no further reading.
    static func mayTell(_ path: String) -> Bool {
        var former: (UInt8, UInt8) = (0, 0)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: ":"): return true
            // Matches a percent-encoded equals sign, perhaps encoded twice, and below the beginning of a JWT.
            case UInt8(ascii: "D"), UInt8(ascii: "d"): if former.1 == UInt8(ascii: "3") { return true }
            case UInt8(ascii: "J"): if former == (UInt8(ascii: "e"), UInt8(ascii: "y")) { return true }
            default: break
            }
            former = (former.1, byte)
        }
        return false
    }
}

extension RedactionPass {
    /// Returns a path without its secrets: those of nested user information and those of each segment's params (RFC 3986 §3.3), which end with the
    /// segment.
    package mutating func redact(path: String) -> String {
        let bytes = Array(path.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var start = 0
        while true {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
            var segment = bytes[start..<end]
            if bytes[..<start].suffix(2).elementsEqual("//".utf8), let user = TextCredentials.userInformation(in: segment, from: start) {
                note(segment[user])
                output += Redaction.mark.utf8
                segment = segment[user.upperBound...]
            }
            output += text(segment)
            guard end < bytes.count else {
                return String(decoding: known?.hidden(in: output, keepsForm: keepsForm) ?? output, as: UTF8.self)
            }
            output.append(UInt8(ascii: "/"))
            start = end + 1
        }
    }
}
