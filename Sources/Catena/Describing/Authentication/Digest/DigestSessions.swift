import CatenaPlatform

/// The nonces of one user's Digest authentication, by origin. It has no side effects.
///
/// A nonce and a count are given out once, whatever challenges the server sends.
struct DigestSessions: Sendable {
    /// A challenge that has been accepted, and the state of the requests with its nonce.
    struct Session: Sendable {
        let challenge: DigestChallenge
        /// Distinguishes the accepted challenges of all origins, from 1.
        let serial: Int
        /// The client's own nonce, which stays with the challenge because the session digest contains it.
        let clientNonce: String
        /// The nonce of the next request, which a response may have replaced.
        var nonce: String
    }

    /// The values of one request that no other request has.
    struct Use: Sendable {
        let session: Session
        let count: UInt32
    }

    /// The maximum numbers of origins and of nonces whose counts are remembered.
    private static let mostOrigins = 100
    private static let mostNonces = 1000

    private var sessions: [String: Session] = [:]
    private var lastSerial = 0
    /// The number of requests with each nonce, and the nonces in the order of their first use.
    private var counts: [String: UInt32] = [:]
    private var nonces: [String] = []

    /// The serial of the challenge that an origin's next request answers, or 0 if there is none.
    func serial(at origin: String) -> Int { sessions[origin]?.serial ?? 0 }

    /// Takes the nonce and the count of the next request to an origin.
    mutating func next(at origin: String) -> Use? {
        guard let session = sessions[origin] else { return nil }
        let count = counts[session.nonce] ?? 0
        guard count < .max else {
            sessions[origin] = nil
            return nil
        }
        if count == 0 { remember(session.nonce) }
        counts[session.nonce] = count + 1
        return Use(session: session, count: count + 1)
    }

    private mutating func remember(_ nonce: String) {
        nonces.append(nonce)
        guard nonces.count > Self.mostNonces else { return }
        let forgotten = nonces.removeFirst()
        counts[forgotten] = nil
        // A count that is not known any more would begin again.
        for (origin, session) in sessions where session.nonce == forgotten { sessions[origin] = nil }
    }

    /// Takes the challenge of a refused request. Returns whether to send the request again.
    ///
    /// - Parameter serial: The serial of the challenge that the request has answered, or 0 if it has answered none.
    mutating func refused(at origin: String, _ serial: Int, _ challenge: DigestChallenge, clientNonce: () -> String) -> Bool {
        if let session = sessions[origin] {
            // Another call has received a challenge meanwhile.
            if session.serial != serial { return true }
            // A nonce that is not too old has been refused with the credential.
            if !challenge.isStale, challenge.nonce == session.nonce { return false }
        }
        if sessions.count >= Self.mostOrigins, sessions[origin] == nil { sessions.removeAll() }
        lastSerial += 1
        sessions[origin] = Session(challenge: challenge, serial: lastSerial, clientNonce: clientNonce(), nonce: challenge.nonce)
        return true
    }

    /// Replaces the nonce, as a response asks for.
    mutating func replaceNonce(at origin: String, with nonce: String) { sessions[origin]?.nonce = nonce }

    /// Removes a challenge whose answer was refused, so that the next call does not send the refused credential unasked.
    mutating func forget(at origin: String, _ serial: Int) {
        if sessions[origin]?.serial == serial { sessions[origin] = nil }
    }
}

extension DigestSessions.Use {
    /// Returns the value of `Authorization` for a request (RFC 7616 §3.4; RFC 2069 §2.1.2 without a `qop`).
    func authorization(user: String, password: String, method: String, target: String) -> String {
        let challenge = session.challenge
        let digest = challenge.algorithm.digest
        let count = String(repeating: "0", count: 8 - String(self.count, radix: 16).count) + String(self.count, radix: 16)
        // Equal texts have several forms in Unicode, and servers digest the composed one (RFC 7616 §4).
        let (user, password) = (user.composed, password.composed)
        var key = digest("\(user):\(challenge.realm):\(password)")
        if challenge.isSession { key = digest("\(key):\(challenge.nonce):\(session.clientNonce)") }
        let message = digest("\(method):\(target)")
        let response = digest(
            challenge.countsRequests
                ? "\(key):\(session.nonce):\(count):\(session.clientNonce):auth:\(message)" : "\(key):\(session.nonce):\(message)")
        var fields = [
            challenge.hashesUser ? "username=\"\(digest("\(user):\(challenge.realm)"))\"" : Self.name(user),
            "realm=\(Self.quoted(challenge.realm))", "uri=\(Self.quoted(target))",
        ]
        if let name = challenge.algorithmName { fields.append("algorithm=\(name)") }
        fields.append("nonce=\(Self.quoted(session.nonce))")
        if challenge.countsRequests { fields += ["nc=\(count)", "cnonce=\(Self.quoted(session.clientNonce))", "qop=auth"] }
        fields.append("response=\"\(response)\"")
        if let opaque = challenge.opaque { fields.append("opaque=\(Self.quoted(opaque))") }
        if challenge.hashesUser { fields.append("userhash=true") }
        return "Digest " + fields.joined(separator: ", ")
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Returns the field with the user's name, in the extended form if a header cannot contain it (RFC 8187).
    private static func name(_ user: String) -> String {
        let isPlain = user.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        return isPlain ? "username=\(quoted(user))" : "username*=UTF-8''\(PercentEncoding.segment.encode(user))"
    }
}
