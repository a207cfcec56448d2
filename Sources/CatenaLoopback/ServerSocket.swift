import CatenaPlatform

/// A non-blocking TCP socket that listens or is connected.
struct ServerSocket: Sendable {
    /// The result of receiving or sending.
    enum Transfer {
        case bytes(Int)
        /// No bytes can be moved now; `poll` reports when they can.
        case blocked
        /// The peer has closed or reset the connection.
        case gone
    }

    let descriptor: Int32

    /// Returns a listening socket, bound to 127.0.0.1 or to all addresses.
    ///
    /// - Parameter port: The port, or 0 for a free one.
    static func listening(port: Int = 0, onAllAddresses: Bool = false) throws(LoopbackServer.StartError) -> ServerSocket {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let listener = ServerSocket(descriptor: socket(AF_INET, kind, 0))
        guard listener.descriptor >= 0 else { throw LoopbackServer.StartError(operation: "socket") }

        // Connections of a server that has just ended would otherwise block its port.
        if port != 0 { listener.set(SOL_SOCKET, SO_REUSEADDR, Int32(1)) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = onAllAddresses ? 0 : UInt32(0x7F00_0001).bigEndian
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard bound == 0, listen(listener.descriptor, SOMAXCONN) == 0 else {
            let failure = LoopbackServer.StartError(operation: bound == 0 ? "listen" : "bind")
            listener.close()
            throw failure
        }
        makeNonBlocking(listener.descriptor)
        return listener
    }

    /// The port to which this socket is bound.
    var port: Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Returns the next waiting connection, or `nil` if there is none or the process has no free descriptor.
    func accept() -> ServerSocket? {
        let accepted = acceptConnection(descriptor)
        guard accepted >= 0 else { return nil }
        let connection = ServerSocket(descriptor: accepted)
        Self.makeNonBlocking(accepted)
        connection.set(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
        #if canImport(Darwin)
        connection.set(SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
        #endif
        return connection
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 { return .bytes(count) }
        return count < 0 && Self.isTemporary(errno) ? .blocked : .gone
    }

    /// Sends as many bytes as it can without blocking. A disconnected peer never raises SIGPIPE.
    func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        let count = sendBytes(descriptor, bytes)
        if count >= 0 { return .bytes(count) }
        return Self.isTemporary(errno) ? .blocked : .gone
    }

    /// Closes the sending direction, while the peer's bytes can still be read.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        closeDescriptor(descriptor)
    }

    /// Closes with RST instead of FIN: with a linger time of zero the kernel aborts the connection (RFC 9293 §3.10.5).
    func reset() {
        set(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
        close()
    }

    /// Makes a descriptor non-blocking and close-on-exec, because programs that a test starts would otherwise hold it open.
    static func makeNonBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    private func set<Value: BitwiseCopyable>(_ level: Int32, _ option: Int32, _ value: Value) {
        withUnsafePointer(to: value) {
            _ = setsockopt(descriptor, level, option, $0, socklen_t(MemoryLayout<Value>.size))
        }
    }

    private static func isTemporary(_ code: Int32) -> Bool {
        code == EAGAIN || code == EWOULDBLOCK || code == EINTR
    }
}

// These call the system's functions, whose names are hidden by methods.

private func acceptConnection(_ descriptor: Int32) -> Int32 {
    accept(descriptor, nil, nil)
}

private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
    send(descriptor, bytes.baseAddress, bytes.count, 0)
    #else
    send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #endif
}

private func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}
