#if os(Linux) && canImport(Glibc)
import CCurl
import Foundation

/// A libcurl handle that is set up for one transfer when it is its turn, used for it, and freed when libcurl is done with it: on the loop's
/// thread, which gets the same memory again for the next one, still in the processor's cache. Transfers that wait for their turn have none,
/// but for those with a long body.
///
/// No handle serves twice, and this type has nothing to make it fit for that: libcurl 7.88 keeps a pointer into the headers of the transfer
/// before, also after a reset, and a response whose first header line is a continuation is then appended to memory that has been freed.
/// What a server may have touched does not reach another transfer this way, whatever the version. Connections are kept by the loop.
final class CurlHandle {
    let easy: OpaquePointer
    private var headers: HeaderList?
    /// The origin of the request's address; `nil` where libcurl cannot read it.
    let origin: CurlOrigin?
    private let authorities: CurlAuthorities?

    /// - Parameter isOnNewConnection: Whether kept connections are left alone.
    init(_ setup: borrowing CurlSetup, isOnNewConnection: Bool) throws {
        guard let easy = catena_easy_init() else { throw Self.noMemory }
        let (request, engine) = (setup.request, setup.engine)
        self.easy = easy
        origin = engine.origins[setup.origin]
        authorities = setup.authorities
        try CurlCallbacks.attach(to: self)
        try setTransport()
        try setConfiguration(of: engine)
        // HTTP/1.1, or whatever the server offers.
        try set(.httpVersion, engine.sharesConnections ? 0 : 2)
        if isOnNewConnection { try set(.newConnection, 1) }
        if setup.isLengthGuessed, let length = origin?.expectedLength { try set(.receiveBufferSize, length) }
        // Over TLS libcurl copies what it sends (up to 8.6) and makes room for 64 KB, which the C library takes from the system and gives back
        // for each transfer.
        if setup.isShort { try set(.uploadBufferSize, CurlLibrary.smallestUploadBuffer) }
        // Requests wait for the first connection to tell whether they can share it.
        if engine.sharesConnections, request.address.scheme == "https" { try set(.pipeWait, 1) }
        try setProxy(of: engine, for: request)
        try setAddress(of: request, target: setup.target, engine)
        try setMethod(request)
        try setHeaders(request)
    }

    deinit {
        catena_easy_cleanup(easy)
        headers?.free()
    }

    private static var noMemory: APIError {
        APIError(.connect, message: "There is no memory for another transfer.")
    }

    /// What holds for every transfer.
    private func setTransport() throws {
        try set(.noSignal, 1)
        try set(.quickExit, 1)
        try set(.protocols, CurlLibrary.httpAndHTTPS)
        try set(.pathAsIs, 1)
        try set(.contentDecoding, 0)
        try set(.suppressConnectHeaders, 1)
        try requireHostNames()
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
            // libcurl looks into a folder of the system's as well, unless it is told that there is none.
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

    private func setProxy(of engine: CurlEngine, for request: HTTPRequest) throws {
        if let proxy = engine.configuration.proxy {
            // A proxy that was given is one for every host: the environment has no say in it.
            try set(.noProxy, "")
            try set(.proxy, proxy)
        } else if request.address.place.isLoopback || engine.configuration.unixSocketPath != nil {
            // An environment proxy that is told of this machine's own addresses is a mistake at best.
            try set(.proxy, "")
        }
    }

    private func setAddress(of request: HTTPRequest, target: String, _ engine: CurlEngine) throws {
        guard let origin, !engine.mayProxyGetAddress(of: request) else { return try set(.url, request.address.text) }
        try set(.url, origin.text)
        try set(.parsedURL, UnsafeRawPointer(origin.pointer))
        try set(.target, target)
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

extension CurlEngine {
    /// Whether a proxy may get the whole address in place of its path (RFC 9112 §3.2.2), which libcurl writes: over http alone, as what goes
    /// over TLS goes through a tunnel.
    fileprivate func mayProxyGetAddress(of request: HTTPRequest) -> Bool {
        guard request.address.scheme == "http" else { return false }
        if let proxy = configuration.proxy { return !proxy.isEmpty }
        if request.address.place.isLoopback || configuration.unixSocketPath != nil { return false }
        return getenv("http_proxy") != nil || getenv("all_proxy") != nil || getenv("ALL_PROXY") != nil
    }
}

extension HTTPRequest {
    /// Whether it goes out with a body, or says that its body is empty.
    fileprivate var hasPayload: Bool {
        body != nil || bodySource != nil || method == .post || method == .put || method == .patch
    }
}
#endif
