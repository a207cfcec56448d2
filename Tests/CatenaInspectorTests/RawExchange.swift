import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An exchange of bytes with a server on this machine, for requests that no client would send.
enum RawExchange {
    struct Failure: Error {
        let code: Int32
    }

    /// Sends text and returns all bytes until the server closes the connection. It blocks a thread of its own, because the server needs the threads
    /// of tasks.
    static func run(port: Int, _ text: String) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try exchange(port, text) }) }.start()
        }
    }

    private static func exchange(_ port: Int, _ text: String) throws -> String {
        let handle = try open(port: port)
        try handle.write(contentsOf: Data(text.utf8))
        return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
    }

    /// Opens a connection, which ends when it is released.
    static func open(port: Int) throws -> FileHandle {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard connected == 0 else { throw Failure(code: errno) }
        return handle
    }
}
