#if os(Linux) && canImport(Glibc)
import CCurl
import CatenaPlatform

/// The callbacks of libcurl. They run no user code: they only move bytes and resume tasks.
///
/// Each context is a pointer to an object that the loop retains while libcurl may call.
enum CurlCallbacks {
    /// Sets the callbacks that are the same for every transfer.
    static func attach(to handle: CurlHandle) throws {
        try handle.set(.writeCallback, data: write)
        try handle.set(.headerCallback, data: header)
        try handle.set(.debugCallback, debug: debug)
        if CurlLibrary.asksBeforeRequests { try handle.set(.prerequestCallback, prerequest: prerequest) }
        try handle.set(.openSocketCallback, open: open)
        try handle.set(.closeSocketCallback, close: close)
    }

    /// Sets the contexts of the callbacks: the transfer and the poller.
    static func direct(_ handle: CurlHandle, to transfer: UnsafeMutableRawPointer, _ poller: UnsafeMutableRawPointer) throws {
        try handle.set(.context, UnsafeRawPointer(transfer))
        try handle.set(.writeContext, UnsafeRawPointer(transfer))
        try handle.set(.headerContext, UnsafeRawPointer(transfer))
        try handle.set(.debugContext, UnsafeRawPointer(transfer))
        if CurlLibrary.asksBeforeRequests { try handle.set(.prerequestContext, UnsafeRawPointer(transfer)) }
        try handle.set(.openSocketContext, UnsafeRawPointer(transfer))
        try handle.set(.closeSocketContext, UnsafeRawPointer(poller))
    }

    /// Makes libcurl call the transfer at each step.
    static func followProgress(of handle: CurlHandle, for transfer: UnsafeMutableRawPointer) throws {
        try handle.set(.progressCallback, progress: progress)
        try handle.set(.progressContext, UnsafeRawPointer(transfer))
        try handle.set(.noProgress, 0)
    }

    private static let progress: CurlProgressCallback = { context, _, _, _, _ in
        if let context { withTransfer(context) { $0.noteProgress() } }
        return 0
    }

    static let socket: CurlSocketCallback = { easy, socket, what, context, _ in
        guard let context else { return 0 }
        poller(context).watch(socket, for: what)
        if what == 4, CurlLibrary.hidesEnds, let easy, let transfer = catena_easy_get_context(easy) {
            withTransfer(transfer) { $0.loop.noteReleased(socket, of: $0) }
        }
        return 0
    }

    static let timer: CurlTimerCallback = { _, milliseconds, context in
        if let context { poller(context).setTimer(milliseconds) }
        return 0
    }

    private static let write: CurlDataCallback = { bytes, size, count, context in
        guard let context else { return 0 }
        let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
        switch withTransfer(context, { $0.receiveBytes(piece) }) {
        case .taken: return size * count
        case .paused: return CurlLibrary.pauseWriting
        // Any other number than the length aborts. For an empty piece, zero would mean success.
        case .refused: return size * count == 0 ? 1 : 0
        }
    }

    private static let header: CurlDataCallback = { bytes, size, count, context in
        guard let context else { return 0 }
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return withTransfer(context) { $0.receiveLine(line) } ? size * count : 0
    }

    /// Called only for verbose handles.
    private static let debug: CurlDebugCallback = { _, kind, bytes, size, context in
        guard let context, kind == CurlLibrary.DebugKind.text || kind == CurlLibrary.DebugKind.dataIn else { return 0 }
        let piece = UnsafeRawBufferPointer(start: bytes, count: size)
        withTransfer(context) { kind == CurlLibrary.DebugKind.text ? $0.receiveText(piece) : $0.receiveRaw(piece) }
        return 0
    }

    private static let prerequest: CurlPrerequestCallback = { context, remote, local, remotePort, localPort in
        guard let context else { return 1 }
        let key = CurlConnection.key(remote: remote, local: local, remotePort: remotePort, localPort: localPort)
        return transfer(context).mayWrite(to: key, fromPort: Int(localPort)) ? 0 : 1
    }

    private static let open: CurlOpenSocketCallback = { context, _, address in
        guard let address = address?.pointee, let context else { return -1 }
        let transfer = transfer(context)
        guard transfer.mayConnect() else { return -1 }
        // Sockets must not leak into child processes.
        let socket = Glibc.socket(address.family, address.type | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
        guard socket >= 0 else { return socket }
        SocketProbes.enable(on: socket, family: address.family)
        transfer.opened(socket)
        return socket
    }

    private static let close: CurlCloseSocketCallback = { context, socket in
        if let context {
            let poller = poller(context)
            for transfer in poller.transfers(on: socket) {
                transfer.takeLeftover(of: socket)
                transfer.noteClosing(of: socket, poller)
            }
            poller.forget(socket)
        }
        return Glibc.close(socket)
    }

    /// Calls `body` with a transfer without counting a reference, because this happens for each line and piece of a response.
    ///
    /// The transfer stays alive, because the loop retains it when libcurl receives the handle. The loop releases it when libcurl has
    /// removed the handle, never within a callback.
    @inline(__always)
    private static func withTransfer<Result>(_ context: UnsafeMutableRawPointer, _ body: (CurlTransfer) -> Result) -> Result {
        Unmanaged<CurlTransfer>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
    }

    static func transfer(_ context: UnsafeMutableRawPointer) -> CurlTransfer {
        Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    }

    private static func poller(_ context: UnsafeMutableRawPointer) -> Poller {
        Unmanaged<Poller>.fromOpaque(context).takeUnretainedValue()
    }
}
#endif
