import Catena
import CatenaLoopback
import CatenaPromise
import Foundation

/// The secrets of an inspector, and the proofs that it knows them.
///
/// While the app is not running, another process may listen on the port of a page that is still open. A page therefore sends no secret before the
/// server has proved that it knows this secret. A proof is an HMAC (RFC 2104) over a number of the page and over the host. The host
/// keeps a process from passing on the proof of an inspector on another port.
final class InspectorSecrets: Sendable {
    /// The key that every request needs. It is a new one for each start, unless the app has chosen it.
    let key: String
    /// The code in the printed address, with which one page gets the key.
    let code: String
    /// The secret by which an open page recognizes the next start of the app, or `nil` if the app has chosen the key, which then stays.
    ///
    /// Only a page with the key receives it, and no page sends it.
    let renewal: String?
    /// Whether a page has used the key, after which the code is worthless. A page that was left before it had the key can be opened again.
    private let isUsed = AtomicFlag()

    /// - Parameter folder: The folder for the file of the renewal secret, or `nil` if no page is to recognize the next start.
    init(key: String?, renewalIn folder: URL?) {
        self.key = key ?? InspectorKey.made()
        code = InspectorKey.made()
        renewal = key == nil ? InspectorKey.kept(in: folder) : nil
    }

    /// Returns the key for the code of the address, until a page has used the key.
    func open(with code: String) -> String? { Self.isEqual(code, self.code) && !isUsed.isSet ? key : nil }

    /// Returns whether a page has sent the key.
    func accepts(_ given: String) -> Bool {
        guard Self.isEqual(given, key) else { return false }
        isUsed.set()
        return true
    }

    /// Returns the proofs for a number of a page, and the key encrypted with the renewal secret.
    ///
    /// - Parameter host: The host and port to which the page has sent its request.
    func proofs(_ number: String, _ host: String) -> LoopbackResponse {
        let words = "\(host)\n\(number)"
        var output = JSONOutput()
        output.object { proofs in
            proofs.member("key", Self.mac("key\n\(words)", key).hex)
            if !isUsed.isSet { proofs.member("code", Self.mac("code\n\(words)", code).hex) }
            guard let renewal else { return }
            // A number of its own, because two keys under one pad would tell each other.
            let own = InspectorKey.made()
            let pad = Self.mac("pad\n\(words)\n\(own)", renewal).bytes
            proofs.member("renewal", Self.mac("renewal\n\(words)", renewal).hex)
            proofs.member("number", own)
            proofs.member("sealed", zip(key.utf8, pad).map { InspectorKey.hex($0 ^ $1) }.joined())
        }
        return .json(output.data)
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
