/// Decides when there is something to tell about a transfer: at most ten times per second, never backwards, and at the end in any case.
/// Pure.
struct ProgressThrottle {
    static let interval = Duration.milliseconds(100)

    private let direction: TransferProgress.Direction
    private var last: (progress: TransferProgress, time: Duration)?
    /// The bytes that have gone so far, told or not, in the attempt of now.
    private var latest: Int64 = 0
    private var isFinished = false

    init(_ direction: TransferProgress.Direction) {
        self.direction = direction
    }

    /// Takes a count of bytes, and gives what is to be told of it, if anything is.
    ///
    /// The last byte is not the end: whether all went well is known to ``finish(at:)`` only.
    mutating func note(_ completed: Int64, of total: Int64?, at now: Duration) -> TransferProgress? {
        guard !isFinished else { return nil }
        latest = completed
        let completed = max(completed, last?.progress.completed ?? 0)
        // More bytes than announced: the announcement was wrong.
        let total = total.flatMap { completed > $0 ? nil : $0 }
        guard let last else { return tell(completed, total, total.map { part(completed, of: $0) }, throughput: 0, at: now) }
        guard now - last.time >= Self.interval, completed != total else { return nil }
        let fraction = total.map { max(part(completed, of: $0), last.progress.fraction ?? 0) }
        return tell(completed, total, fraction, throughput: throughput(completed, now), at: now)
    }

    /// Gives what is to be told of the end of a success, which is nothing where no bytes were ever noted.
    mutating func finish(at now: Duration) -> TransferProgress? {
        guard !isFinished, let last else { return nil }
        isFinished = true
        let completed = max(latest, last.progress.completed)
        return tell(completed, completed, 1, throughput: throughput(completed, now), at: now)
    }

    private mutating func tell(
        _ completed: Int64, _ total: Int64?, _ fraction: Double?, throughput: Double, at now: Duration
    ) -> TransferProgress {
        let progress = TransferProgress(
            direction: direction, completed: completed, total: total, fraction: fraction, throughput: throughput)
        last = (progress, now)
        return progress
    }

    /// Short of 1, which is the end's.
    private func part(_ completed: Int64, of total: Int64) -> Double {
        min(Double(completed) / Double(max(total, 1)), 1 - Double.ulpOfOne)
    }

    /// Half of what is new, half of what was, so that the figure can be read.
    private func throughput(_ completed: Int64, _ now: Duration) -> Double {
        guard let last, now > last.time else { return last?.progress.throughput ?? 0 }
        let rate = Double(completed - last.progress.completed) / ((now - last.time) / .seconds(1))
        return last.progress.throughput == 0 ? rate : (rate + last.progress.throughput) / 2
    }
}
