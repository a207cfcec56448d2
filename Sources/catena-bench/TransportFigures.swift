import Catena
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

/// Measures the memory of 1,000 concurrent requests to a socket that accepts connections and never responds.
func memoryOfWaitingRequests() async throws {
    #if os(Linux)
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
            guard bind(listener, pointer, length) == 0, listen(listener, 4096) == 0 else { return false }
            getsockname(listener, pointer, &length)
            return true
        }
    }
    guard isListening else { return print("    no socket to listen on") }
    var configuration = CurlConfiguration()
    configuration.transfersPerOrigin = 1000
    let transport = try CurlTransport(configuration)
    let client = Client(transport: transport)
    client.defaultHost = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    func hold(_ count: Int) async -> [Promise<Data>] {
        let calls = (0..<count).map { client.get("/\($0)").timeout(.seconds(600)).execute(.data) }
        // All requests are sent once the last one has a connection.
        while openDescriptors() < count { await Task.yield() }
        try? await Task.sleep(for: .milliseconds(500))
        return calls
    }
    let warm = await hold(100)
    for call in warm { call.cancel() }
    try? await Task.sleep(for: .milliseconds(500))
    let before = residentMemory()
    let calls = await hold(1000)
    let each = Double(residentMemory() - before) / 1000 / 1024
    print("  1,000 requests that wait for their responses: \(String(format: "%.1f", each)) KB of memory each")
    for call in calls { call.cancel() }
    #endif
}

/// Measures the processor time of a call in all threads of this process.
func processorTime(of name: String, count: Int, _ body: @escaping @Sendable () async throws -> Void) async throws -> Double {
    try await concurrently(count / 10, width: 64, body)
    let start = processorSeconds()
    try await concurrently(count, width: 64, body)
    let microseconds = (processorSeconds() - start) / Double(count) * 1e6
    print("    \(name.padding(toLength: 44, withPad: " ", startingAt: 0)) \(String(format: "%8.1f", microseconds)) us")
    return microseconds
}

/// The processor time of this process so far, in all threads.
func processorSeconds() -> Double {
    var usage = rusage()
    #if canImport(Glibc)
    _ = getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
    _ = getrusage(RUSAGE_SELF, &usage)
    #endif
    let times = [usage.ru_utime, usage.ru_stime]
    return times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
}

/// Prints the rate of `wrk` with the same server, if it is installed, as the limit for any client.
func rawLimit(_ url: String, width: Int) throws {
    guard let output = try ExternalProgram("wrk")?.run(["-t1", "-c\(width)", "-d1s", url]),
        let line = output.split(separator: "\n").first(where: { $0.hasPrefix("Requests/sec:") }),
        let rate = line.split(separator: " ").last.flatMap({ Double($0) })
    else { return }
    print("    wrk, the raw limit: \(String(format: "%.1f", 1e6 / rate)) us")
}

/// Returns the bytes per second of a download with `curl`, or `nil` if it is not installed.
func curlThroughput(_ url: String) throws -> Double? {
    Double(try ExternalProgram("curl")?.run(["-s", "-o", "/dev/null", "-w", "%{speed_download}", url]) ?? "")
}
