import Catena
import CatenaLoopback
import CatenaPromise
import Foundation

/// The secrets of an inspector, and the proofs that it knows them.
///
/// While the app is not running, another process may listen on its port. So neither a page nor the program of agents sends a secret before the
/// server has proved that it knows this secret. A proof is an HMAC (RFC 2104) over a number of the page and over the host. The host
/// keeps a process from passing on the proof of an inspector on another port.
final class InspectorSecrets: Sendable {
    /// The key that every request needs. It is a new one for each start, unless the app has chosen it.
    let key: String
    /// The code in the printed address, with which one page gets the key.
    let code: String
    /// The secret by which an open page and the program of agents recognize the app. Only a page with the key receives it, and it is never sent back.
    let renewal: String
    /// The secret for an open page, or `nil` if the app has chosen the key, which then stays.
    let pageRenewal: String?
    /// Whether a page has used the key, after which the code is worthless. A page that was left before it had the key can be opened again.
    private let isUsed = AtomicFlag()

    /// - Parameter folder: The folder for the file of the renewal secret, or `nil` if neither a page nor an agent is to recognize the app.
    init(key: String?, renewalIn folder: URL?, port: Int) {
        self.key = key ?? InspectorKey.made()
        code = InspectorKey.made()
        renewal = InspectorKey.kept(in: folder, port: port)
        pageRenewal = key == nil ? renewal : nil
    }

    /// Returns the key for the code of the address, until a page has used the key.
    func open(with code: String) -> String? { Self.isEqual(code, self.code) && !isUsed.isSet ? key : nil }

    /// Returns whether the key was sent.
    ///
    /// - Parameter isFromPage: Whether a page has sent it. An agent leaves the code of the address to the page.
    func accepts(_ given: String, isFromPage: Bool) -> Bool {
        guard Self.isEqual(given, key) else { return false }
        if isFromPage { isUsed.set() }
        return true
    }

    /// Returns the proofs for a number of a page, and the key encrypted with the renewal secret.
    ///
    /// - Parameter host: The host and port to which the page has sent its request.
    func proofs(_ number: String, _ host: String) -> StubReply {
        let words = "\(host)\n\(number)"
        var output = JSONOutput()
        output.object { proofs in
            proofs.member("key", Self.mac("key\n\(words)", key).hex)
            if !isUsed.isSet { proofs.member("code", Self.mac("code\n\(words)", code).hex) }
            // A number of its own, because two keys under one pad would tell each other.
            let own = InspectorKey.made()
            let pad = Self.pad(words, own, renewal, length: key.utf8.count)
            proofs.member("renewal", Self.mac("renewal\n\(words)", renewal).hex)
            proofs.member("number", own)
            proofs.member("sealed", zip(key.utf8, pad).map { InspectorKey.hex($0 ^ $1) }.joined())
        }
        return .json(output.data)
    }

    /// Returns the key of a server whose proofs show that it knows the renewal secret and the key, or `nil`.
    ///
    /// - Parameters:
    ///   - number: The number that was drawn for these proofs.
    ///   - host: The host and port to which the number was sent.
    static func key(provedBy proofs: JSON, _ number: String, _ host: String, renewal: String) -> String? {
        let words = "\(host)\n\(number)"
        guard let proof = proofs.renewal.string, isEqual(proof, mac("renewal\n\(words)", renewal).hex), let own = proofs.number.string,
            let sealed = proofs.sealed.string.map({ Array($0.utf8) }), let proofOfKey = proofs.key.string
        else { return nil }
        let bytes = stride(from: 0, to: sealed.count - 1, by: 2).compactMap { place -> UInt8? in
            guard let high = PercentDecoding.hexValue(sealed[place]), let low = PercentDecoding.hexValue(sealed[place + 1]) else {
                return nil
            }
            return high << 4 | low
        }
        let key = String(decoding: zip(bytes, pad(words, own, renewal, length: bytes.count)).map { $0 ^ $1 }, as: UTF8.self)
        return isEqual(proofOfKey, mac("key\n\(words)", key).hex) ? key : nil
    }

    /// Returns the pad that encrypts a key. A digest has 32 bytes, and a key that the app has chosen may have more.
    private static func pad(_ words: String, _ own: String, _ renewal: String, length: Int) -> [UInt8] {
        stride(from: 0, to: length, by: 32).flatMap { place in
            mac("pad\n\(words)\n\(own)" + (place == 0 ? "" : "\n\(place)"), renewal).bytes
        }
    }

    private static func mac(_ words: String, _ key: String) -> MessageDigest {
        .hmacSHA256(Data(words.utf8), key: Data(key.utf8))
    }

    /// Compares in constant time, so that the time does not reveal how much of a secret is right.
    static func isEqual(_ given: String, _ secret: String) -> Bool {
        let (given, secret) = (Array(given.utf8), Array(secret.utf8))
        var difference = given.count ^ secret.count
        for index in secret.indices { difference |= Int(secret[index] ^ (index < given.count ? given[index] : 0)) }
        return difference == 0
    }
}
