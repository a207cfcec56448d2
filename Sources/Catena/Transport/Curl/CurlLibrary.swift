#if os(Linux)
import CCurl

/// The libcurl of this process.
enum CurlLibrary {
    /// The oldest version that has what the engine needs: without `QUICK_EXIT` (7.87) a cancelled name lookup blocks every transfer.
    private static let oldest: UInt32 = 0x07_57_00

    /// Why the engine cannot run here; `nil` if it can.
    static let obstacle: String? = {
        let version = catena_curl_bind()
        if version == 0 { return "libcurl.so.4 is not there" }
        if version < oldest { return "libcurl is older than 7.87" }
        return nil
    }()

    /// Options and their numbers, as libcurl's stable interface has them.
    enum Option {
        static let url: Int32 = 10002
        static let proxy: Int32 = 10004
        static let noProxy: Int32 = 10177
        static let headers: Int32 = 10023
        static let customMethod: Int32 = 10036
        static let caFile: Int32 = 10065
        static let clientCertificate: Int32 = 10025
        static let clientKey: Int32 = 10087
        static let clientKeyPassword: Int32 = 10026
        static let copyPostFields: Int32 = 10165
        static let pinnedPublicKey: Int32 = 10230
        static let unixSocket: Int32 = 10231
        static let protocols: Int32 = 10318
        static let writeContext: Int32 = 10001
        static let headerContext: Int32 = 10029
        static let openSocketContext: Int32 = 10164
        static let closeSocketContext: Int32 = 10209
        static let prerequestContext: Int32 = 10313
        static let readContext: Int32 = 10009
        static let seekContext: Int32 = 10168
        static let writeCallback: Int32 = 20011
        static let headerCallback: Int32 = 20079
        static let openSocketCallback: Int32 = 20163
        static let closeSocketCallback: Int32 = 20208
        static let prerequestCallback: Int32 = 20312
        static let readCallback: Int32 = 20012
        static let seekCallback: Int32 = 20167
        static let postFieldSize: Int32 = 30120
        static let uploadSize: Int32 = 30115
        static let noBody: Int32 = 44
        static let upload: Int32 = 46
        static let newConnection: Int32 = 74
        static let forbidReuse: Int32 = 75
        static let httpGet: Int32 = 80
        static let httpVersion: Int32 = 84
        static let noSignal: Int32 = 99
        static let contentDecoding: Int32 = 158
        static let pathAsIs: Int32 = 234
        static let pipeWait: Int32 = 237
        static let suppressConnectHeaders: Int32 = 265
        static let uploadBufferSize: Int32 = 280
        static let connectionAge: Int32 = 288
        static let quickExit: Int32 = 322
    }

    enum MultiOption {
        static let socketCallback: Int32 = 20001
        static let socketContext: Int32 = 10002
        static let timerCallback: Int32 = 20004
        static let timerContext: Int32 = 10005
        static let idleConnections: Int32 = 6
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

    static let pauseWriting = 0x1000_0001
    static let pauseReading = 0x1000_0001
    static let abortReading = 0x1000_0000
    /// In bytes. libcurl asks for a body in pieces of this size.
    static let uploadBufferSize = 256 * 1024

    /// What stays paused when something else goes on.
    enum Pause {
        static let receiving: Int32 = 1
        static let sending: Int32 = 4
    }
}
#endif
