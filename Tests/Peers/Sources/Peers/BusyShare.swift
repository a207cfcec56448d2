import Foundation

/// The share of the processors that others take, looked at for a second while nothing is measured.
func busyShare() -> Double? {
    guard let before = ProcessorTimes() else { return nil }
    Thread.sleep(forTimeInterval: 1)
    guard let after = ProcessorTimes(), after.all > before.all else { return nil }
    return 1 - Double(after.idle - before.idle) / Double(after.all - before.all)
}

/// What the system has counted since it was started: the first line of `/proc/stat`.
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
