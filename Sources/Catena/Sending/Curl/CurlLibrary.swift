#if os(Linux) && canImport(Glibc)
import CCurl

/// The libcurl that is loaded in this process.
enum CurlLibrary {
    /// The version as 0xMMmmpp, or 0 if there is no libcurl.
    static let version = catena_curl_bind()

    /// The oldest version that the engine supports.
    private static let oldest: UInt32 = 0x07_4C_00

    /// Whether libcurl calls back before each request, so that Catena can refuse a connection. Before 7.80 it does not, so no connection is
    /// reused, because libcurl itself would repeat a request on another one.
    static let asksBeforeRequests = version >= 0x07_50_00
    /// Whether libcurl can abandon a lookup (from 7.87). Before, Catena looks names up itself.
    static let leavesLookUps = version >= 0x07_57_00
    /// Whether a handle may be reused. 7.88 keeps a pointer into the headers of the previous transfer, which 8.2 fixed.
    static let reusesHandles = version >= 0x08_02_00
    /// Whether libcurl also tries the next address of a family after 200 ms. Older versions divide the time for connecting among the
    /// addresses.
    static let racesAddresses = version >= 0x08_10_00
    /// Whether libcurl leaves an address that does not respond in its share of the time. Before 8.4 it does so only at the next event.
    static let leavesSilentAddresses = version >= 0x08_04_00
    /// Whether libcurl misplaces the head of an HTTP/2 response that exceeds the receive buffer, if another response or its own body arrives
    /// with it. Fixed in 8.0.
    static let confusesLongHeads = version < 0x08_00_00
    /// Whether libcurl does not report that the peer has ended the connection while the request waits for bytes to send. Fixed in 8.3.
    static let hidesEnds = version < 0x08_03_00
    /// Whether a transfer whose receiving is paused takes bytes of the response whenever it sends, without a limit. Fixed in 8.18.
    static let receivesWhilePaused = (0x08_0A_00..<0x08_12_00).contains(version)
    /// Whether a connection without TLS carries several requests over HTTP/2. 7.88 restarts the protocol on the connection for each of
    /// them.
    static let keepsHTTP2WithoutTLS = version >= 0x08_04_00
    /// Whether HTTP/2 is used. libcurl 8.0 to 8.3 does not report the code of a stream reset, so Catena could not tell whether a request
    /// may be repeated.
    static let speaksHTTP2 = asksBeforeRequests && !(0x08_00_00..<0x08_04_00).contains(version) && catena_curl_features() & 1 << 16 != 0
    static let speaksHTTP3 = asksBeforeRequests && catena_curl_features() & 1 << 25 != 0
    static let speaksTLS = catena_curl_tls() != nil
    /// Whether OpenSSL's functions can be called. If not, the names of certificates are read from libcurl's certificate information.
    static let checksNames = catena_curl_checks_names()

    /// The version as text, such as "7.88.1".
    static let versionText = "\(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)"

    /// The reason why the engine cannot run here, or `nil` if it can.
    static let fallbackReason: String? = {
        if version == 0 { return "libcurl.so.4 is not there" }
        if version < oldest { return "libcurl \(versionText) is older than 7.76" }
        if let name = catena_curl_tls().map({ String(cString: $0) }), !checksNames, !showsCertificates(name) {
            return "libcurl's TLS library \(name) does not show which hosts a certificate names"
        }
        return nil
    }()

    /// The limitation of the engine over this version of libcurl, or `nil` if there is none.
    static let limitation: String? = {
        if !asksBeforeRequests {
            return "libcurl \(versionText) is older than 7.80: each attempt has a connection of its own, over HTTP/1.1."
        }
        if !speaksHTTP2 { return "libcurl \(versionText) has no HTTP/2 that says how a request has ended: requests go over HTTP/1.1." }
        return nil
    }()

    /// Whether libcurl's certificate information contains host names.
    private static func showsCertificates(_ library: String) -> Bool {
        ["OpenSSL/", "LibreSSL/", "BoringSSL", "quictls/", "AWS-LC"].contains { library.hasPrefix($0) }
    }

    /// The numbers of options in libcurl's stable interface. Options that a ``CurlConfiguration`` sets have its property names, because
    /// errors show them.
    enum Option: Int32 {
        case url = 10002
        case parsedURL = 10282
        case target = 10266
        case proxy = 10004
        case noProxy = 10177
        case headers = 10023
        case customMethod = 10036
        case certificateAuthorityFile = 10065
        case certificateAuthorityFolder = 10097
        case clientCertificateFile = 10025
        case clientKeyFile = 10087
        case clientKeyPassword = 10026
        case copyPostFields = 10165
        case pinnedPublicKeys = 10230
        case unixSocketPath = 10231
        case sharing = 10100
        case context = 10103
        case writeContext = 10001
        case headerContext = 10029
        case openSocketContext = 10164
        case closeSocketContext = 10209
        case prerequestContext = 10313
        case debugContext = 10095
        case progressContext = 10057
        case errorText = 10010
        case connectTo = 10243
        case resolve = 10203
        case readContext = 10009
        case seekContext = 10168
        case writeCallback = 20011
        case headerCallback = 20079
        case certificateCheck = 20108
        case certificateContext = 10109
        case openSocketCallback = 20163
        case closeSocketCallback = 20208
        case prerequestCallback = 20312
        case debugCallback = 20094
        case progressCallback = 20219
        case readCallback = 20012
        case seekCallback = 20167
        case postFieldSize = 30120
        case uploadSize = 30115
        case noBody = 44
        case verbose = 41
        case noProgress = 43
        case upload = 46
        case newConnection = 74
        case forbidReuse = 75
        case httpVersion = 84
        case tlsVersion = 32
        case certificateInformation = 172
        case keepsTLSSessions = 150
        case noSignal = 99
        case connectTime = 156
        // By numbers, because libcurl parses the option with names for every transfer.
        case protocols = 181
        case contentDecoding = 158
        case pathAsIs = 234
        case pipeWait = 237
        case suppressConnectHeaders = 265
        case uploadBufferSize = 280
        case receiveBufferSize = 98
        case idleConnectionAge = 288
        case quickExit = 322
    }

    enum MultiOption {
        static let socketCallback: Int32 = 20001
        static let socketContext: Int32 = 10002
        static let timerCallback: Int32 = 20004
        static let timerContext: Int32 = 10005
        static let connections: Int32 = 6
    }

    enum Info {
        static let verification: Int32 = 0x20_000D
        static let systemError: Int32 = 0x20_0019
        static let uploaded: Int32 = 0x60_0007
        static let proxyStatus: Int32 = 0x20_0016
        static let localPort: Int32 = 0x20_002A
        static let httpVersion: Int32 = 0x20_002E
        static let newConnections: Int32 = 0x20_001A
        // Times are in microseconds since the transfer began.
        static let total: Int32 = 0x60_0032
        static let lookedUp: Int32 = 0x60_0033
        static let connected: Int32 = 0x60_0034
        static let readyToSend: Int32 = 0x60_0035
        static let firstByte: Int32 = 0x60_0036
        static let encrypted: Int32 = 0x60_0038
    }

    /// The kinds of bytes that a debug callback receives.
    enum DebugKind {
        static let text: Int32 = 0
        static let dataIn: Int32 = 3
    }

    enum Version {
        static let automatic = 0
        static let http1 = 2
        static let http2 = 4
        static let http2WithoutTLS = 5
        static let http3 = 30
    }

    static let httpAndHTTPS = 3
    static let pauseWriting = 0x1000_0001
    static let pauseReading = 0x1000_0001
    static let abortReading = 0x1000_0000
    /// The size of the pieces in which libcurl reads a body, in bytes.
    static let uploadBufferSize = 256 * 1024
    /// The smallest size that libcurl accepts, in bytes.
    static let smallestReceiveBuffer = 1024
    static let usualReceiveBuffer = 16 * 1024
    /// The size that holds the longest head that the engine accepts.
    static let longHeadBuffer = 320 * 1024
    static let largeReceiveBuffer = 64 * 1024
    static let smallestUploadBuffer = 16 * 1024
    static let usualUploadBuffer = 64 * 1024
    static let largestUploadBuffer = 2 * 1024 * 1024

    /// The directions of a transfer that stay paused when the other one continues.
    enum Pause {
        static let receiving: Int32 = 1
        static let sending: Int32 = 4
    }
}
#endif
