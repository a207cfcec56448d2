#if os(Linux) && canImport(Glibc)
import CCurl

/// The libcurl of this process.
enum CurlLibrary {
    /// The oldest version that has what the engine needs: without `QUICK_EXIT` (7.87) a cancelled name lookup blocks every transfer.
    private static let oldest: UInt32 = 0x07_57_00

    /// Why the engine cannot run here; `nil` if it can.
    static let fallbackReason: String? = {
        let version = catena_curl_bind()
        if version == 0 { return "libcurl.so.4 is not there" }
        if version < oldest { return "libcurl is older than 7.87" }
        return nil
    }()

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
        case readContext = 10009
        case seekContext = 10168
        case writeCallback = 20011
        case headerCallback = 20079
        case certificateCheck = 20108
        case certificateContext = 10109
        case openSocketCallback = 20163
        case closeSocketCallback = 20208
        case prerequestCallback = 20312
        case readCallback = 20012
        case seekCallback = 20167
        case postFieldSize = 30120
        case uploadSize = 30115
        case noBody = 44
        case upload = 46
        case newConnection = 74
        case forbidReuse = 75
        case httpVersion = 84
        case noSignal = 99
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

    static let httpAndHTTPS = 3
    static let pauseWriting = 0x1000_0001
    static let pauseReading = 0x1000_0001
    static let abortReading = 0x1000_0000
    /// In bytes. libcurl asks for a body in pieces of this size.
    static let uploadBufferSize = 256 * 1024
    /// In bytes, the fewest that libcurl takes.
    static let smallestReceiveBuffer = 1024
    static let smallestUploadBuffer = 16 * 1024

    /// What stays paused when something else goes on.
    enum Pause {
        static let receiving: Int32 = 1
        static let sending: Int32 = 4
    }
}
#endif
