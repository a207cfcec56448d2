#if os(Linux) && canImport(Glibc)
/// The result codes of libcurl that the engine distinguishes, by the numbers of its stable interface.
enum CurlCode: Int32 {
    case unsupportedProtocol = 1
    case malformedAddress = 3
    case notBuiltIn = 4
    case proxyName = 5
    case hostName = 6
    case cannotConnect = 7
    case malformedResponse = 8
    case http2Framing = 16
    case cutBody = 18
    case writeRefused = 23
    case noMemory = 27
    case timedOut = 28
    case tlsHandshake = 35
    case abortedByCallback = 42
    case badArgument = 43
    case unknownOption = 48
    case noResponse = 52
    case tlsEngine = 53
    case tlsEngineSetting = 54
    case sendFailed = 55
    case receiveFailed = 56
    case clientCertificate = 58
    case cipher = 59
    case serverCertificate = 60
    case contentEncoding = 61
    case tlsRequired = 64
    case cannotRewind = 65
    case tlsEngineStart = 66
    case authorities = 77
    case tlsShutdown = 80
    case revocationList = 82
    case issuer = 83
    case pinnedKey = 90
    case certificateStatus = 91
    case http2Stream = 92
    case proxyHandshake = 97
    case wantsClientCertificate = 98
    /// Replaces ``noMemory`` from 8.6 on if something exceeds libcurl's limits.
    case tooLong = 100
}
#endif
