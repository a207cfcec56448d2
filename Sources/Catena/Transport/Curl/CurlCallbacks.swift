#if os(Linux) && canImport(Glibc)
import CCurl
import Foundation

/// What libcurl calls. No user code runs in here: bytes are moved and tasks are woken.
///
/// Each context is a pointer to an object that the loop keeps alive for as long as libcurl may call.
enum CurlCallbacks {
    /// Sets the functions, which are the same for every transfer.
    static func attach(to handle: CurlHandle) throws {
        try handle.set(.writeCallback, data: write)
        try handle.set(.headerCallback, data: header)
        try handle.set(.debugCallback, debug: debug)
        if CurlLibrary.asksBeforeRequests { try handle.set(.prerequestCallback, prerequest: prerequest) }
        try handle.set(.openSocketCallback, open: open)
        try handle.set(.closeSocketCallback, close: close)
    }

    /// Says whom the functions are to tell.
    static func direct(_ handle: CurlHandle, to transfer: UnsafeMutableRawPointer, _ poller: UnsafeMutableRawPointer) throws {
        try handle.set(.context, UnsafeRawPointer(transfer))
        try handle.set(.writeContext, UnsafeRawPointer(transfer))
        try handle.set(.headerContext, UnsafeRawPointer(transfer))
        try handle.set(.debugContext, UnsafeRawPointer(transfer))
        if CurlLibrary.asksBeforeRequests { try handle.set(.prerequestContext, UnsafeRawPointer(transfer)) }
        try handle.set(.openSocketContext, UnsafeRawPointer(transfer))
        try handle.set(.closeSocketContext, UnsafeRawPointer(poller))
    }

    static let socket: CurlSocketCallback = { _, socket, what, context, _ in
        if let context { poller(context).watch(socket, for: what) }
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
        // Anything but the length aborts; a length of zero would be right for no bytes.
        case .refused: return size * count == 0 ? 1 : 0
        }
    }

    private static let header: CurlDataCallback = { bytes, size, count, context in
        guard let context else { return 0 }
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return withTransfer(context) { $0.receiveLine(line) } ? size * count : 0
    }

    /// Called only for handles that are verbose.
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
        guard let address = address?.pointee else { return -1 }
        // Sockets of ours must not leak into child processes.
        let socket = Glibc.socket(address.family, address.type | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
        guard socket >= 0, let context else { return socket }
        SocketProbes.enable(on: socket, family: address.family)
        transfer(context).opened(socket)
        return socket
    }

    private static let close: CurlCloseSocketCallback = { context, socket in
        if let context { poller(context).forget(socket) }
        return Glibc.close(socket)
    }

    /// Lends a transfer without counting a reference, for what is called for each line and piece of a response.
    ///
    /// Somebody else has one meanwhile: the loop takes it when it gives libcurl the handle, and gives it back when libcurl has no part in the
    /// transfer any more, which is never within a callback.
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
