#if os(Linux) && canImport(Glibc)
import CCurl
import Foundation

/// A libcurl handle. The loop's thread sets it up for one transfer when it is its turn, and releases it when libcurl is done with it. The next one
/// gets the same memory, still in the processor's cache. Transfers that wait for their turn have none, but for those with a long body.
///
/// From libcurl 8.2 on a handle serves again after a reset. Before, each transfer has a new one, because 7.88 keeps a pointer into the headers of
/// the transfer before, also after a reset. It would append a continued first header line to memory that has been freed.
/// Connections belong to the loop, and outlive handles.
final class CurlHandle {
    let easy: OpaquePointer
    /// Whether libcurl's part is freed with this.
    private var isOwner = true
    private var headers: HeaderList?
    private var resolve: HeaderList?
    private var connectTo: HeaderList?
    private let authorities: CurlAuthorities?
    /// The buffer into which libcurl writes why it has failed.
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: errorTextSize)

    /// In bytes, CURL_ERROR_SIZE.
    private static let errorTextSize = 256

    /// - Parameter pool: The handles that have served already; `nil` on another thread than the loop's.
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
        // Over TLS libcurl copies what it sends (up to 8.6) and makes room for 64 KB, which the C library takes from the system and gives back
        // for each transfer.
        if setup.isShort { try set(.uploadBufferSize, CurlLibrary.smallestUploadBuffer) }
        if setup.isHeadTooLongForBuffer { try set(.uploadBufferSize, CurlLibrary.largestUploadBuffer) }
        try setProxy(setup)
        if let route = setup.route { try setRoute(route) }
        try setAddress(of: request, setup)
        try setMethod(request)
        try setHeaders(request)
    }

    /// Why libcurl has failed, in its words; "" if it gave none.
    var reason: String { String(cString: errorText) }

    /// Gives libcurl's part back for another transfer, instead of freeing it. On the loop's thread, once libcurl is done with it.
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
        // With a resumed session the server sends no certificate.
        try set(.keepsTLSSessions, 0)
    }

    // The configuration is read where it is, one member after the other: to copy it is to count a reference for each of them.

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
            // libcurl looks into a folder of the system's as well, unless this takes it back.
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
        // Catena reads the environment itself: libcurl's reading of NO_PROXY differs from version to version.
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
            // A POST without a body says so: Content-Length: 0 (RFC 9110 §8.6).
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

    /// The lines with which libcurl does not add headers by itself: as long as there is neither an Accept nor a Content-Type; an Accept;
    /// a Content-Type; both.
    private static let withheld: [[StaticString]] = [
        ["Expect:", "Accept:", "Content-Type:"], ["Expect:", "Content-Type:"], ["Expect:", "Accept:"], ["Expect:"],
    ]

    /// To a request without a body libcurl adds nothing else.
    private static let withheldWithoutBody: [StaticString] = ["Accept:"]

    /// Whether there are fields of these names, in one pass.
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
    /// Whether it goes out with a body, or says that its body is empty.
    fileprivate var hasPayload: Bool {
        body != nil || bodySource != nil || method == .post || method == .put || method == .patch
    }
}
#endif
