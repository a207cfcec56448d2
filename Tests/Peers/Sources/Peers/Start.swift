import Foundation

/// Compares small programs that make one call and end. Measures the time from the start of the process to the first byte at the server, the processor time of
/// the whole program, and its size. Measures no memory, because the system counts that of this program for each that it starts.
struct Start {
    private struct Candidate {
        let name: String
        let path: String
        let arguments: [String]
        var firstBytes: [Double] = []
        var processorTimes: [Double] = []
    }

    private static let programs = [
        ("Catena", "start-catena"), ("async-http-client", "start-async-http-client"), ("URLSession", "start-urlsession"),
    ]

    /// Starts each program so many times, in turn, and prints a table of medians.
    ///
    /// - Parameter folder: The folder of the programs.
    static func compare(in folder: URL, rounds: Int) throws {
        let server = try FirstByteServer()
        defer { server.close() }
        let url = "http://127.0.0.1:\(server.port)/v1/rooms/7"
        var candidates = programs.map { Candidate(name: $0.0, path: folder.appendingPathComponent($0.1).path, arguments: [url]) }
        candidates.append(Candidate(name: "curl(1)", path: "/usr/bin/curl", arguments: ["-q", "-s", "-o", "/dev/null", url]))
        // The first round reads the programs from the disk.
        for round in 0...rounds {
            for index in candidates.indices {
                let figures = try run(candidates[index], server)
                guard round > 0 else { continue }
                candidates[index].firstBytes.append(figures.firstByte)
                candidates[index].processorTimes.append(figures.processorTime)
            }
        }
        print(
            "| \(rounds) starts each | ms to the first byte | ms of the processor | MB on the disk, stripped |\n|---|---|---|---|"
        )
        for candidate in candidates {
            let size = try candidate.name == "curl(1)" ? "" : number(strippedSize(of: candidate.path))
            print(
                "| \(candidate.name) | \(number(median(candidate.firstBytes))) | \(number(median(candidate.processorTimes))) | \(size) |")
        }
    }

    private static func run(_ candidate: Candidate, _ server: FirstByteServer) throws -> (firstByte: Double, processorTime: Double) {
        var process: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = ([candidate.path] + candidate.arguments).map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        arguments.append(nil)
        let start = ContinuousClock.now
        guard posix_spawn(&process, candidate.path, nil, nil, arguments, environ) == 0 else {
            throw Problem("\(candidate.path) does not start.")
        }
        let arrival: ContinuousClock.Instant
        do {
            arrival = try server.serve()
        } catch {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
            throw Problem("\(candidate.name): \(error)")
        }
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(process, &status, 0, &usage) == process, status == 0 else { throw Problem("\(candidate.name) fails.") }
        return (milliseconds(arrival - start), milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime))
    }

    private static func strippedSize(of path: String) throws -> Double {
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("peers-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: copy) }
        _ = try Program("strip").run(["-o", copy.path, path])
        let size = try FileManager.default.attributesOfItem(atPath: copy.path)[.size] as? Int
        return Double(size ?? 0) / 1_000_000
    }

    private static func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }

    private static func milliseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1_000 + Double(time.tv_usec) / 1_000 }

    private static func median(_ values: [Double]) -> Double { values.isEmpty ? 0 : values.sorted()[values.count / 2] }

    private static func number(_ value: Double) -> String { String(format: value < 1 ? "%.2f" : "%.1f", value) }
}
