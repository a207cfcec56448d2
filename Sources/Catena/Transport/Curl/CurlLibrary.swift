#if os(Linux) && canImport(Glibc)
import CCurl

/// The libcurl of this process.
enum CurlLibrary {
    /// The version as 0xMMmmpp; 0 if there is none.
    static let version = catena_curl_bind()

    /// The oldest version on which the engine runs.
    private static let oldest: UInt32 = 0x07_4C_00

    /// Whether libcurl asks before each request whether it may use a connection. Without that (before 7.80) no connection is used twice, since
    /// libcurl would repeat a request on another one by itself.
    static let asksBeforeRequests = version >= 0x07_50_00
    /// Whether libcurl leaves a look-up that is of no use any more (7.87). Before, Catena looks names up itself.
    static let leavesLookUps = version >= 0x07_57_00
    /// Whether a handle may serve again: 7.88 keeps a pointer into the headers of the transfer before, which 8.2 has mended.
    static let reusesHandles = version >= 0x08_02_00
    /// Whether libcurl tries the next address of one family after 200 ms beside those before. Older versions divide the time for connecting among them.
    static let racesAddresses = version >= 0x08_10_00
    /// Whether libcurl leaves an address by itself that does not respond in its share. Before 8.4 it waits for something else to happen.
    static let leavesSilentAddresses = version >= 0x08_04_00
    /// Whether a connection without TLS carries several requests over HTTP/2: 7.88 begins the connection anew with each of them.
    static let keepsHTTP2WithoutTLS = version >= 0x08_04_00
    /// Whether HTTP/2 is used: libcurl 8.0 to 8.3 does not say with which code a stream was reset, and so whether a request may be sent again.
    static let speaksHTTP2 = asksBeforeRequests && !(0x08_00_00..<0x08_04_00).contains(version) && catena_curl_features() & 1 << 16 != 0
    static let speaksHTTP3 = asksBeforeRequests && catena_curl_features() & 1 << 25 != 0
    static let speaksTLS = catena_curl_tls() != nil
    /// Whether OpenSSL's functions can be called. Else the names of certificates are read from what libcurl tells of them.
    static let checksNames = catena_curl_checks_names()

    /// Such as "7.88.1".
    static let versionText = "\(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)"

    /// Why the engine cannot run here; `nil` if it can.
    static let fallbackReason: String? = {
        if version == 0 { return "libcurl.so.4 is not there" }
        if version < oldest { return "libcurl \(versionText) is older than 7.76" }
        if let name = catena_curl_tls().map({ String(cString: $0) }), !checksNames, !showsCertificates(name) {
            return "libcurl's TLS library \(name) does not show which hosts a certificate names"
        }
        return nil
    }()

    /// The limits of the engine over this version of libcurl; `nil` if it has all that it needs.
    static let limitation: String? = {
        if !asksBeforeRequests {
            return "libcurl \(versionText) is older than 7.80: each attempt has a connection of its own, over HTTP/1.1."
        }
        if !speaksHTTP2 { return "libcurl \(versionText) has no HTTP/2 that says how a request has ended: requests go over HTTP/1.1." }
        return nil
    }()

    /// Whether libcurl's certificate information has the names of hosts.
    private static func showsCertificates(_ library: String) -> Bool {
        ["OpenSSL/", "LibreSSL/", "BoringSSL", "quictls/", "AWS-LC"].contains { library.hasPrefix($0) }
    }

    /// Options and their numbers, as libcurl's stable interface has them.
    /// An error shows the name of the option, so those that a ``CurlConfiguration`` sets have the names that it gives them.
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
        // By numbers: the option that takes their names reads the list of them for every transfer.
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

    enum Result {
        static let notBuiltIn: Int32 = 4
        static let unknownOption: Int32 = 48
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
        static let activeSocket: Int32 = 0x50_002C
        static let newConnections: Int32 = 0x20_001A
        // In microseconds since the transfer began.
        static let total: Int32 = 0x60_0032
        static let lookedUp: Int32 = 0x60_0033
        static let connected: Int32 = 0x60_0034
        static let readyToSend: Int32 = 0x60_0035
        static let firstByte: Int32 = 0x60_0036
        static let encrypted: Int32 = 0x60_0038
    }

    /// The kinds of bytes that a debug callback gets.
    enum DebugKind {
        static let text: Int32 = 0
        static let dataIn: Int32 = 3
    }

    /// Versions of HTTP.
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
    /// In bytes. libcurl asks for a body in pieces of this size.
    static let uploadBufferSize = 256 * 1024
    /// In bytes, the fewest that libcurl takes.
    static let smallestReceiveBuffer = 1024
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
