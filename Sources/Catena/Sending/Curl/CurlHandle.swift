#if os(Linux) && canImport(Glibc)
import CCurl
import CatenaPlatform

/// A libcurl handle. The loop's thread sets it up when its transfer may run, and releases it when libcurl has finished. The next transfer
/// gets the same memory, which is still in the processor's cache. Waiting transfers have no handle, except those with a long body.
///
/// From libcurl 8.2 on, a handle is reset and reused. With older versions, each transfer has a new one. A reset in 7.88 keeps a pointer
/// into the headers of the previous transfer, and would append a continued first header line to freed memory.
/// Connections belong to the loop, and outlive handles.
final class CurlHandle {
    let easy: OpaquePointer
    /// Whether this object frees libcurl's handle.
    private var isOwner = true
    private var headers: HeaderList?
    private var resolve: HeaderList?
    private var connectTo: HeaderList?
    private let authorities: CurlAuthorities?
    /// The buffer for libcurl's error message.
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: errorTextSize)

    /// The size of the buffer in bytes, CURL_ERROR_SIZE.
    private static let errorTextSize = 256

    /// - Parameter pool: The reusable handles, or `nil` on another thread than the loop's.
    init(_ setup: borrowing CurlSetup, from pool: CurlHandlePool? = nil) throws {
        guard let easy = pool?.take() ?? catena_easy_init() else {
            errorText.deallocate()
            throw Self.noMemory
        }
        let (request, engine) = (setup.request, setup.engine)
        self.easy = easy
        authorities = setup.authorities
        errorText.pointee = 0
        try CurlCallbacks.attach(to: self)
        try set(.errorText, UnsafeRawPointer(errorText))
        try setTransport(isSecure: request.address.scheme == "https", engine)
        try setConfiguration(of: engine)
        try set(.httpVersion, setup.version)
        if !CurlLibrary.asksBeforeRequests || setup.isConnectionUsedOnce { try set(.forbidReuse, 1) }
        if setup.isLengthGuessed, let length = setup.origin?.expectedLength { try set(.receiveBufferSize, length) }
        if CurlLibrary.confusesLongHeads, setup.sharesConnection { try set(.receiveBufferSize, CurlLibrary.longHeadBuffer) }
        // Over TLS libcurl (up to 8.6) copies what it sends into a buffer of 64 KB. The C library takes the buffer from the system and
        // returns it for each transfer.
        if setup.isShort { try set(.uploadBufferSize, CurlLibrary.smallestUploadBuffer) }
        if setup.isHeadTooLongForBuffer { try set(.uploadBufferSize, CurlLibrary.largestUploadBuffer) }
        try setProxy(setup)
        if let route = setup.route { try setRoute(route) }
        try setAddress(of: request, setup)
        try setMethod(request)
        try setHeaders(request)
    }

    /// libcurl's message about a failure, or "" if there is none.
    var reason: String { String(cString: errorText) }

    /// Returns libcurl's handle to the pool instead of freeing it. Call on the loop's thread, after libcurl has finished.
    func release(to pool: CurlHandlePool) {
        guard isOwner, pool.hasRoom else { return }
        catena_easy_reset(easy)
        isOwner = false
        pool.add(easy)
    }

    deinit {
        if isOwner { catena_easy_cleanup(easy) }
        for list in [headers, resolve, connectTo] { list?.free() }
        errorText.deallocate()
    }

    private static var noMemory: APIError {
        APIError(.connect, message: "There is no memory for another transfer.")
    }

    /// Sets the options of every transfer.
    private func setTransport(isSecure: Bool, _ engine: CurlEngine) throws {
        try set(.noSignal, 1)
        if CurlLibrary.leavesLookUps { try set(.quickExit, 1) }
        try set(.protocols, CurlLibrary.httpAndHTTPS)
        try set(.pathAsIs, 1)
        try set(.contentDecoding, 0)
        try set(.suppressConnectHeaders, 1)
        guard isSecure else { return }
        guard CurlLibrary.speaksTLS else {
            throw APIError(.tls, message: "The libcurl of this system was built without TLS.")
        }
        try set(.tlsVersion, engine.configuration.minimumTLSVersion.number)
        try requireHostNames()
        guard !CurlLibrary.checksNames else { return }
        try set(.certificateInformation, 1)
        // In a resumed session the server sends no certificate.
        try set(.keepsTLSSessions, 0)
    }

    // Read each member of the configuration in place, because a copy would count a reference for every member.

    private func setConfiguration(of engine: CurlEngine) throws {
        try set(.idleConnectionAge, engine.idleConnectionAge)
        if let authorities {
            try set(.certificateContext, authorities.pointer)
            try clear(.certificateAuthorityFile)
            try clear(.certificateAuthorityFolder)
        } else if let folder = engine.configuration.certificateAuthorityFolder {
            try set(.certificateAuthorityFolder, folder)
        }
        if let file = engine.configuration.certificateAuthorityFile {
            try set(.certificateAuthorityFile, file)
            // Without this, libcurl also uses a folder of the system.
            try clear(.certificateAuthorityFolder)
        }
        if let file = engine.configuration.clientCertificateFile { try set(.clientCertificateFile, file) }
        if let file = engine.configuration.clientKeyFile { try set(.clientKeyFile, file) }
        if let password = engine.configuration.clientKeyPassword { try set(.clientKeyPassword, password) }
        if !engine.configuration.pinnedPublicKeys.isEmpty {
            try set(.pinnedPublicKeys, engine.configuration.pinnedPublicKeys.map { try CurlConfiguration.pin($0) }.joined(separator: ";"))
        }
        if let path = engine.configuration.unixSocketPath { try set(.unixSocketPath, path) }
    }

    private func setProxy(_ setup: borrowing CurlSetup) throws {
        // Catena reads the environment itself, because libcurl's reading of NO_PROXY differs between versions.
        try set(.proxy, setup.proxy ?? "")
        if setup.proxy?.isEmpty == false { try set(.noProxy, "") }
    }

    private func setRoute(_ route: CurlRoute) throws {
        let addresses = HeaderList(line: route.resolve)
        resolve = addresses
        try set(.resolve, addresses.first)
        guard let target = route.connectTo else { return }
        let list = HeaderList(line: target)
        connectTo = list
        try set(.connectTo, list.first)
    }

    private func setAddress(of request: HTTPRequest, _ setup: borrowing CurlSetup) throws {
        guard let origin = setup.origin, !setup.mayProxyGetAddress else { return try set(.url, request.address.text) }
        try set(.url, origin.text)
        try set(.parsedURL, UnsafeRawPointer(origin.pointer))
        try set(.target, setup.target)
    }

    private func setMethod(_ request: HTTPRequest) throws {
        if let source = request.bodySource { return try setUpload(source, method: request.method) }
        switch (request.method, request.body) {
        case (.get, nil): break
        case (.head, nil): try set(.noBody, 1)
        case (let method, let body?):
            try set(.postFieldSize, Int64(body.count))
            try body.withUnsafeBytes { bytes in
                // An empty buffer has no address, which would mean "no body" to libcurl.
                if let address = bytes.baseAddress, !bytes.isEmpty {
                    try set(.copyPostFields, address)
                } else {
                    try set(.copyPostFields, "")
                }
            }
            try set(.customMethod, method.name)
        case (let method, nil):
            // A POST without a body sends Content-Length: 0 (RFC 9110 §8.6).
            if request.hasPayload {
                try set(.postFieldSize, Int64(0))
                try set(.copyPostFields, "")
            }
            try set(.customMethod, method.name)
        }
    }

    private func setHeaders(_ request: HTTPRequest) throws {
        let (accepts, hasType, hasCodings) = Self.look(at: request.headers)
        let extra = request.hasPayload ? Self.withheld[(accepts ? 1 : 0) + (hasType ? 2 : 0)] : accepts ? [] : Self.withheldWithoutBody
        let list = HeaderList(request.headers.fields, extra: extra, accepting: hasCodings ? nil : ContentDecoder.accepted)
        headers = list
        try set(.headers, list.first)
    }

    /// The lines that prevent libcurl from adding headers. Indexed by the headers that the request has: neither, Accept, Content-Type,
    /// both.
    private static let withheld: [[StaticString]] = [
        ["Expect:", "Accept:", "Content-Type:"], ["Expect:", "Content-Type:"], ["Expect:", "Accept:"], ["Expect:"],
    ]

    /// The only header that libcurl would add to a request without a body.
    private static let withheldWithoutBody: [StaticString] = ["Accept:"]

    /// Returns whether there are fields with these names, in one pass.
    private static func look(at headers: HTTPHeaders) -> (accept: Bool, type: Bool, codings: Bool) {
        var found = (accept: false, type: false, codings: false)
        for field in headers.fields {
            switch field.name.utf8.count {
            case 6: found.accept = found.accept || sameHeaderName(field.name, "Accept")
            case 12: found.type = found.type || sameHeaderName(field.name, "Content-Type")
            case 15: found.codings = found.codings || sameHeaderName(field.name, "Accept-Encoding")
            default: break
            }
        }
        return found
    }
}

extension HTTPRequest {
    /// Whether the request has a body, or announces that its body is empty.
    fileprivate var hasPayload: Bool { body != nil || bodySource != nil || method.expectsBody }
}

/// The released handles of a loop that may be reused. Used on the loop's thread only.
final class CurlHandlePool {
    /// The maximum number of pooled handles. Further ones are freed, so that a burst of transfers leaves no memory allocated.
    private static let most = 32

    private var handles: [OpaquePointer] = []

    /// Whether a released handle is pooled. This requires a version of libcurl whose reset forgets the whole transfer.
    var hasRoom: Bool { CurlLibrary.reusesHandles && handles.count < Self.most }

    func take() -> OpaquePointer? { handles.popLast() }

    func add(_ easy: OpaquePointer) { handles.append(easy) }

    /// Frees the handles. Call this before freeing shared sessions, because a handle references them.
    func close() {
        for easy in handles { catena_easy_cleanup(easy) }
        handles = []
    }

    deinit { close() }
}
#endif
