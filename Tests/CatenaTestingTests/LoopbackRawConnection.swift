import CatenaTesting
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
#error("The C library of this platform is not known.")
#endif

/// A TCP connection for the server's own tests, which shows every byte.
final class LoopbackRawConnection: Sendable {
    /// The end of a stream of bytes.
    enum Ending: Sendable, Equatable {
        case closed
        case reset
        /// No byte arrived for a long time, which is always a mistake in these tests.
        case silent
    }

    struct Failure: Error {
        let code: Int32
    }

    private let descriptor: Int32

    init(to server: LoopbackServer) throws {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(server.port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var silence = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &silence, socklen_t(MemoryLayout<timeval>.size))
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // Everything is initialised, so deinit closes the descriptor.
        if connected != 0 { throw Failure(code: errno) }
    }

    deinit {
        shut(descriptor)
    }

    /// Sends text unchanged. If the server is gone, only receiving shows it.
    func send(_ text: String) {
        send(Data(text.utf8))
    }

    func send(_ bytes: Data) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { transmit(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Receives exactly `count` bytes, or fewer if the stream ends before.
    func receive(_ count: Int) async -> String {
        await onThread { String(decoding: self.read(upTo: count).bytes, as: UTF8.self) }
    }

    /// Receives as many bytes as `expected` has, for a comparison with it.
    func receive(asLongAs expected: String) async -> String {
        await receive(expected.utf8.count)
    }

    /// Receives everything up to the end of the stream.
    func receiveAll() async -> (text: String, ending: Ending) {
        await onThread {
            let (bytes, ending) = self.read(upTo: .max)
            return (String(decoding: bytes, as: UTF8.self), ending)
        }
    }

    /// The number of bytes that have arrived and have not been received.
    var available: Int {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        return max(0, recv(descriptor, &buffer, buffer.count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)))
    }

    /// Closes both directions of the connection.
    func close() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private func read(upTo count: Int) -> (bytes: Data, ending: Ending) {
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < count {
            let received = recv(descriptor, &buffer, min(buffer.count, count - bytes.count), 0)
            if received == 0 { return (bytes, .closed) }
            if received < 0 { return (bytes, errno == ECONNRESET ? .reset : .silent) }
            bytes.append(contentsOf: buffer[..<received])
        }
        return (bytes, .silent)
    }
}

/// Runs work on a thread of its own, because blocking calls must not occupy the pool in which the server's handlers run.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: work()) }
    }
}

/// Sends one request on a connection of its own and receives everything until the server closes.
func exchange(_ request: String, with server: LoopbackServer) async throws -> (text: String, ending: LoopbackRawConnection.Ending) {
    let connection = try LoopbackRawConnection(to: server)
    connection.send(request)
    return await connection.receiveAll()
}

/// Returns the body of the response to a request line, received until the server closes the connection.
func body(of requestLine: String, from server: LoopbackServer) async throws -> String {
    let answer = try await exchange("\(requestLine) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", with: server)
    return answer.text.firstRange(of: "\r\n\r\n").map { String(answer.text[$0.upperBound...]) } ?? "no head: \(answer.text)"
}

/// Returns the port of a socket, or `nil` if the descriptor is not a socket.
func localPort(of descriptor: Int32) -> Int? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let found = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return found == 0 && address.sin_family == sa_family_t(AF_INET) ? Int(UInt16(bigEndian: address.sin_port)) : nil
}

private func shut(_ descriptor: Int32) {
    _ = close(descriptor)
}

private func transmit(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
    send(descriptor, bytes, count, 0)
    #else
    send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
    #endif
}
