import Foundation

/// Returns the share of the processors that other processes use. Waits a second, during which nothing is measured.
func busyShare() -> Double? {
    guard let before = ProcessorTimes() else { return nil }
    Thread.sleep(forTimeInterval: 1)
    guard let after = ProcessorTimes(), after.all > before.all else { return nil }
    return 1 - Double(after.idle - before.idle) / Double(after.all - before.all)
}

/// The processor times since the start of the system, from the first line of `/proc/stat`.
private struct ProcessorTimes {
    let all: Int
    let idle: Int

    init?() {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return nil }
        // "cpu" and then user, nice, system, idle, waiting for a disk, …
        let times = text.prefix { $0 != "\n" }.split(separator: " ").dropFirst().compactMap { Int($0) }
        guard times.count > 4 else { return nil }
        all = times.reduce(0, +)
        idle = times[3] + times[4]
    }
}
