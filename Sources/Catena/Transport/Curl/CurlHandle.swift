#if os(Linux)
import CCurl
import Foundation

/// A libcurl handle that is set up for one request. Set up on the calling task, so that the loop's thread has less to do.
struct CurlHandle {
    let easy: OpaquePointer
    private(set) var list: OpaquePointer?

    private typealias Option = CurlLibrary.Option

    /// A new handle with what all transfers of a transport have in common.
    init?(_ configuration: CurlConfiguration, sharesConnections: Bool) {
        guard let easy = catena_easy_init() else { return nil }
        self.easy = easy
        CurlCallbacks.attach(to: easy)
        setLong(Option.noSignal, 1)
        setLong(Option.quickExit, 1)
        setText(Option.protocols, "http,https")
        setLong(Option.pathAsIs, 1)
        setLong(Option.contentDecoding, 0)
        setLong(Option.suppressConnectHeaders, 1)
        // HTTP/1.1, or whatever the server offers.
        setLong(Option.httpVersion, sharesConnections ? 0 : 2)
        setLong(Option.connectionAge, Int(max(1, configuration.idleConnectionAge.components.seconds)))
        // A proxy that was given is one for every host: the environment has no say in it.
        if configuration.proxy != nil { setText(Option.noProxy, "") }
        if let file = configuration.certificateAuthorityFile { setText(Option.caFile, file) }
        if let file = configuration.clientCertificateFile { setText(Option.clientCertificate, file) }
        if let file = configuration.clientKeyFile { setText(Option.clientKey, file) }
        if let password = configuration.clientKeyPassword { setText(Option.clientKeyPassword, password) }
        if !configuration.pinnedPublicKeys.isEmpty {
            setText(Option.pinnedPublicKey, configuration.pinnedPublicKeys.map { "sha256//\($0)" }.joined(separator: ";"))
        }
        if let path = configuration.unixSocketPath { setText(Option.unixSocket, path) }
    }

    /// A handle that was used before.
    init(used easy: OpaquePointer) {
        self.easy = easy
    }

    /// Sets everything that differs from request to request.
    mutating func prepare(_ request: HTTPRequest, _ configuration: CurlConfiguration, sharesConnections: Bool) {
        let address = request.address
        setText(Option.url, address.text)
        // Requests wait for the first connection to tell whether they can share it.
        setLong(Option.pipeWait, sharesConnections && address.scheme == "https" ? 1 : 0)
        // An environment proxy that is told of this machine's own addresses is a mistake at best.
        if let proxy = configuration.proxy ?? (address.isLoopback || configuration.unixSocketPath != nil ? "" : nil) {
            setText(Option.proxy, proxy)
        } else {
            clear(Option.proxy)
        }
        setLong(Option.forbidReuse, 0)
        setLong(Option.newConnection, 0)
        setMethod(request)
        setHeaders(request)
    }

    /// Gives back what belongs to the request and makes the handle fit for another one.
    mutating func clear() {
        clear(Option.headers)
        clear(Option.copyPostFields)
        if let list { catena_list_free(list) }
        list = nil
    }

    private func setLong(_ option: Int32, _ value: Int) {
        _ = catena_easy_set_long(easy, option, value)
    }

    private func setText(_ option: Int32, _ value: String) {
        _ = value.withCString { catena_easy_set_pointer(easy, option, $0) }
    }

    private func clear(_ option: Int32) {
        _ = catena_easy_set_pointer(easy, option, nil)
    }

    private func setMethod(_ request: HTTPRequest) {
        // Whatever the former request was, this forgets it.
        setLong(Option.httpGet, 1)
        clear(Option.customMethod)
        if let source = request.bodySource { return setUpload(source, method: request.method) }
        switch (request.method, request.body) {
        case (.get, nil): break
        case (.head, nil): setLong(Option.noBody, 1)
        case (let method, let body?):
            _ = catena_easy_set_size(easy, Option.postFieldSize, Int64(body.count))
            body.withUnsafeBytes { bytes in
                // An empty buffer has no address, which would mean "no body" to libcurl.
                if let address = bytes.baseAddress, !bytes.isEmpty {
                    _ = catena_easy_set_pointer(easy, Option.copyPostFields, address)
                } else {
                    setText(Option.copyPostFields, "")
                }
            }
            setText(Option.customMethod, method.name)
        case (let method, nil):
            // A POST without a body says so: Content-Length: 0 (RFC 9110 §8.6).
            if method == .post || method == .put || method == .patch {
                _ = catena_easy_set_size(easy, Option.postFieldSize, 0)
                setText(Option.copyPostFields, "")
            }
            setText(Option.customMethod, method.name)
        }
    }

    private mutating func setHeaders(_ request: HTTPRequest) {
        for field in request.headers.fields {
            // "Name:" would remove a header; "Name;" sends it empty.
            append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        // What libcurl would add by itself.
        append("Expect:")
        if !request.headers.contains("Accept") { append("Accept:") }
        if !request.headers.contains("Content-Type") { append("Content-Type:") }
        if !request.headers.contains("Accept-Encoding"), let codings = ContentDecoder.accepted { append("Accept-Encoding: \(codings)") }
        if let list { _ = catena_easy_set_pointer(easy, Option.headers, UnsafeRawPointer(list)) }
    }

    private mutating func append(_ line: String) {
        if let longer = line.withCString({ catena_list_append(list, $0) }) { list = longer }
    }
}

extension HTTPAddress {
    /// Whether the address is one of this machine's own.
    var isLoopback: Bool {
        // A name may begin with 127 too.
        host == "localhost" || host == "[::1]" || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 < 0x41 }
    }
}
#endif
