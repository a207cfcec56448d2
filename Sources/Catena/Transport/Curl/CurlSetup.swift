#if os(Linux) && canImport(Glibc)
/// What the handles of one transfer are set up with. Made on the task of the caller, who does what takes long: reading the authorities,
/// and the handle of a long body, which libcurl copies. The loop's thread has all other transfers to see to.
struct CurlSetup {
    let request: HTTPRequest
    let origin: String
    /// Path and query.
    let target: String
    let engine: CurlEngine
    /// Whether room is made for as much as the origin sends as a rule.
    let isLengthGuessed: Bool
    /// Whom to trust in place of those that libcurl would read itself.
    let authorities: CurlAuthorities?

    /// In bytes.
    private static let longestCopyOnLoop = 65_536

    /// - Throws: An ``APIError`` if libcurl must not get the address.
    init(_ request: HTTPRequest, to origin: String, on engine: CurlEngine, isLengthGuessed: Bool) throws {
        let target = request.address.target
        // libcurl writes it as it stands.
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw APIError(.invalidRequest, message: "The address contains a character that must be percent-encoded.")
        }
        self.request = request
        self.origin = origin
        self.target = target
        self.engine = engine
        self.isLengthGuessed = isLengthGuessed
        authorities = request.address.scheme == "https" ? engine.trust?.current : nil
    }

    /// Whether all that is sent over TLS fits into the smallest buffer. Half of it is left for what libcurl adds, and because some versions
    /// (8.7 to 8.15) send a request wrongly that is cut there and has to wait.
    var isShort: Bool {
        guard request.address.scheme == "https", request.bodySource == nil else { return false }
        let separators = 4 * request.headers.fields.count
        return request.headLength + separators + (request.body?.count ?? 0) <= CurlLibrary.smallestUploadBuffer / 2
    }

    /// Whether the first handle is made before it is the transfer's turn.
    var takesLong: Bool { (request.body?.count ?? 0) > Self.longestCopyOnLoop }
}
#endif
